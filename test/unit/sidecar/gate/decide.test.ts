import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideAgentMessage, decideServerMessage, type GateView } from '../../../../sidecar/gate/decide.ts';
import { createGateMap } from '../../../../sidecar/gate/gate-map.ts';
import type { Message } from '../../../../sidecar/json-rpc/message.ts';

const tools = createGateMap({ write_file: 'files.write', 'delete-all': 'files.delete' });
const view = (changes: Partial<GateView> = {}): GateView => ({
  tools,
  era: '2025-11-25',
  agentIdTaken: () => false,
  serverIdOpen: () => false,
  roomForRequest: true,
  ...changes,
});
const callOf = (params: Record<string, unknown>): Message => ({
  kind: 'request',
  id: 1,
  method: 'tools/call',
  params,
});
const decideCall = (params: Record<string, unknown>) => decideAgentMessage(callOf(params), view());

describe('what the agent sends', () => {
  it('passes with the scope of its tool, or with none', () => {
    expect(decideCall({ name: 'write_file' })).toEqual({
      action: 'call',
      id: 1,
      tool: 'write_file',
      scope: 'files.write',
    });
    expect(decideCall({ name: 'read_file', arguments: {} })).toMatchObject({ action: 'call', scope: null });
  });

  it.each([
    'Write_File',
    'WRITE_FILE',
    'write_file ',
    'ｗrite_file',
    'write_ﬁle',
    'write\u200b_file',
    'DELETE-ALL',
    'wriıte_file'.replace('ı', '\u00ad'),
  ])('is refused when its tool could be taken for a gated one: %j', (name) => {
    expect(decideCall({ name })).toMatchObject({
      action: 'refuse',
      reason: 'lookalike_tool_name',
      tool: name,
    });
  });

  it.each([
    ['no name', {}, 'bad_tool_name'],
    ['a name that is no string', { name: ['write_file'] }, 'bad_tool_name'],
    ['a name without end', { name: 'x'.repeat(257) }, 'bad_tool_name'],
    ['a second name in another case', { name: 'read_file', Name: 'write_file' }, 'lookalike_member'],
    ['arguments in another case', { name: 'read_file', ARGUMENTS: {} }, 'lookalike_member'],
    ['arguments that are no object', { name: 'read_file', arguments: [] }, 'bad_arguments'],
  ])('is refused with %s', (_title, params, reason) => {
    expect(decideCall(params)).toMatchObject({ action: 'refuse', reason, id: 1 });
  });

  it('is refused as a tool call without an id, since nobody could be told of a refusal', () => {
    const message: Message = { kind: 'notification', method: 'tools/call', params: { name: 'write_file' } };
    expect(decideAgentMessage(message, view())).toMatchObject({
      action: 'refuse',
      reason: 'call_without_id',
    });
  });

  it('is refused under an id that waits for an answer, without using that id', () => {
    const decision = decideAgentMessage(callOf({ name: 'read_file' }), view({ agentIdTaken: () => true }));
    expect(decision).toMatchObject({ action: 'refuse', reason: 'id_in_use', id: null });
  });

  it('is refused when too much is in flight', () => {
    expect(decideAgentMessage(callOf({ name: 'x' }), view({ roomForRequest: false }))).toMatchObject({
      reason: 'too_many_requests',
    });
  });

  it('answers only what the server asked', () => {
    const answer: Message = { kind: 'result', id: 5, result: {} };
    expect(decideAgentMessage(answer, view())).toMatchObject({ reason: 'unknown_answer' });
    expect(decideAgentMessage(answer, view({ serverIdOpen: (id) => id === 5 }))).toEqual({
      action: 'forward',
    });
  });

  it('never passes a gated tool without its scope, whatever else the call holds', () => {
    const anyParams = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(anyParams, fc.constantFrom('write_file', 'delete-all'), (more, name) => {
        const decision = decideCall({ ...more, name });
        expect(decision.action === 'refuse' || (decision.action === 'call' && decision.scope !== null)).toBe(
          true,
        );
      }),
    );
  });

  it('never passes unknown methods, in any era', () => {
    const known =
      /^(tools|prompts|resources|completion|tasks|logging|server|subscriptions|notifications)\/|^(initialize|ping)$/;
    const method = fc.string().filter((text) => !known.test(text));
    const era = fc.constantFrom('opening', '2025-11-25', '2026-07-28' as const) as fc.Arbitrary<
      GateView['era']
    >;
    fc.assert(
      fc.property(method, era, fc.boolean(), (name, inEra, isRequest) => {
        const message: Message = isRequest
          ? { kind: 'request', id: 1, method: name, params: {} }
          : { kind: 'notification', method: name, params: {} };
        expect(decideAgentMessage(message, view({ era: inEra }))).toMatchObject({
          reason: 'method_not_allowed',
        });
      }),
    );
  });
});

describe('what the server sends', () => {
  const open = (id: string | number) => id === 1;

  it('passes as an answer to what is in flight, and only as that', () => {
    expect(decideServerMessage({ kind: 'result', id: 1, result: {} }, open)).toEqual({
      action: 'answer',
      id: 1,
    });
    expect(decideServerMessage({ kind: 'result', id: 2, result: {} }, open)).toMatchObject({
      action: 'refuse',
    });
    expect(decideServerMessage({ kind: 'error', id: null, error: {} }, open)).toMatchObject({
      action: 'refuse',
    });
  });

  it('passes as a ping and as news', () => {
    expect(decideServerMessage({ kind: 'request', id: 9, method: 'ping', params: {} }, open)).toEqual({
      action: 'forward',
    });
    const news: Message = { kind: 'notification', method: 'notifications/message', params: {} };
    expect(decideServerMessage(news, open)).toEqual({ action: 'forward' });
  });

  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'tools/call'])(
    'is refused and answered when it asks the agent for %s',
    (method) => {
      expect(decideServerMessage({ kind: 'request', id: 9, method, params: {} }, open)).toEqual({
        action: 'refuse',
        reason: 'method_not_allowed',
        id: 9,
      });
    },
  );

  it('is replaced by a refusal when the answer asks for input', () => {
    const answer: Message = { kind: 'result', id: 1, result: { resultType: 'input_required' } };
    expect(decideServerMessage(answer, open)).toMatchObject({ action: 'refuse_answer', id: 1 });
  });
});
