import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClientFeature } from '../../../../contract/catalog.ts';
import {
  decideAgentMessage,
  decideServerMessage,
  type GateView,
  newlyCalledTool,
  type ServerView,
} from '../../../../sidecar/gate/decide.ts';
import { createGateMap } from '../../../../sidecar/gate/gate-map.ts';
import type { Message } from '../../../../sidecar/json-rpc/message.ts';
import { checkProperty } from '../../../support/property.ts';

const tools = createGateMap({ write_file: 'files.write', 'delete-all': 'files.delete' });
const view = (changes: Partial<GateView> = {}): GateView => ({
  tools,
  protocolVersion: '2025-11-25',
  refusesChanges: false,
  wasShown: () => false,
  agentIdOpen: () => false,
  agentIdTaken: () => false,
  serverIdOpen: () => false,
  roomForRequest: true,
  holdsTooMuch: false,
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
    const call = { action: 'call', id: 1, tool: 'write_file', scope: 'files.write' };
    expect(decideCall({ name: 'write_file' })).toEqual({ ...call, definition: 'any', continues: null });
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
  ])('is refused when its tool could be mistaken for a gated one: %j', (name) => {
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

  it('is refused as a tool call without an id, since nobody could be informed of a refusal', () => {
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

  it('is refused when too many requests are in flight', () => {
    expect(decideAgentMessage(callOf({ name: 'x' }), view({ roomForRequest: false }))).toEqual({
      action: 'refuse',
      reason: 'too_many_requests',
      code: -32600,
      id: 1,
      tool: 'x',
    });
  });

  it('is refused under its own id when it holds more values than its server accepts, and recorded', () => {
    const decision = decideAgentMessage(callOf({ name: 'x' }), view({ holdsTooMuch: true }));
    expect(decision).toEqual({ action: 'refuse', reason: 'too_many_values', code: -32602, id: 1, tool: 'x' });
  });

  it('passes as a notification, whatever is in flight', () => {
    const news: Message = { kind: 'notification', method: 'notifications/initialized', params: {} };
    const full = view({ roomForRequest: false, agentIdTaken: () => true });
    expect(decideAgentMessage(news, full)).toEqual({ action: 'forward' });
  });

  it('is refused with the protocol’s code for it, and recorded only as a call', () => {
    const refusal = (message: Message, changes?: Partial<GateView>) =>
      decideAgentMessage(message, view(changes));
    const list: Message = { kind: 'request', id: 1, method: 'tools/list', params: {} };
    expect(refusal({ ...list, method: 'tools/List' })).toEqual({
      action: 'refuse',
      reason: 'method_not_allowed',
      code: -32601,
      id: 1,
      tool: null,
    });
    expect(refusal({ ...list, params: { Cursor: 'a' } })).toMatchObject({
      reason: 'lookalike_member',
      code: -32602,
      id: 1,
      tool: null,
    });
    expect(refusal(list, { agentIdTaken: () => true })).toMatchObject({ code: -32600, id: null, tool: null });
    expect(refusal({ kind: 'result', id: 1, result: {} })).toMatchObject({ code: -32600, tool: null });
    expect(decideCall({ name: 7 })).toMatchObject({ code: -32602, tool: null });
    const withoutId: Message = { kind: 'notification', method: 'tools/call', params: { name: 'x' } };
    expect(refusal(withoutId)).toMatchObject({ code: -32600, id: null, tool: 'x' });
  });

  it('may name a tool with up to 256 characters; longer names are truncated in the record', () => {
    expect(decideCall({ name: 'x'.repeat(256) })).toMatchObject({ action: 'call' });
    expect(decideCall({ name: 'x'.repeat(300) })).toMatchObject({
      reason: 'bad_tool_name',
      tool: 'x'.repeat(256),
    });
    expect(decideCall({ name: '' })).toMatchObject({ reason: 'bad_tool_name', tool: '' });
  });

  it('is no answer when it has no id', () => {
    const error: Message = { kind: 'error', id: null, error: {} };
    expect(decideAgentMessage(error, view({ serverIdOpen: () => true }))).toMatchObject({
      reason: 'unknown_answer',
    });
  });

  it('answers only what the server requested', () => {
    const answer: Message = { kind: 'result', id: 5, result: {} };
    expect(decideAgentMessage(answer, view())).toMatchObject({ reason: 'unknown_answer' });
    expect(decideAgentMessage(answer, view({ serverIdOpen: (id) => id === 5 }))).toEqual({
      action: 'forward',
    });
  });

  it('never passes a gated tool without its scope, whatever else the call contains', () => {
    const anyParams = fc.dictionary(fc.string(), fc.jsonValue());
    checkProperty(
      fc.property(anyParams, fc.constantFrom('write_file', 'delete-all'), (more, name) => {
        const decision = decideCall({ ...more, name });
        expect(decision.action === 'refuse' || (decision.action === 'call' && decision.scope !== null)).toBe(
          true,
        );
      }),
    );
  });

  it('never passes unknown methods, in any protocol version', () => {
    const known =
      /^(tools|prompts|resources|completion|tasks|logging|server|subscriptions|notifications)\/|^(initialize|ping)$/;
    const method = fc.string().filter((text) => !known.test(text));
    const protocolVersion = fc.constantFrom('opening', '2025-11-25', '2026-07-28' as const) as fc.Arbitrary<
      GateView['protocolVersion']
    >;
    checkProperty(
      fc.property(method, protocolVersion, fc.boolean(), (name, inVersion, isRequest) => {
        const message: Message = isRequest
          ? { kind: 'request', id: 1, method: name, params: {} }
          : { kind: 'notification', method: name, params: {} };
        expect(decideAgentMessage(message, view({ protocolVersion: inVersion }))).toMatchObject({
          reason: 'method_not_allowed',
        });
      }),
    );
  });
});

describe('what the agent may cancel', () => {
  const cancel = (requestId: unknown): Message => ({
    kind: 'notification',
    method: 'notifications/cancelled',
    params: { requestId },
  });
  it('is a request in flight under exactly that id; the rest is dropped', () => {
    const inFlight = view({ agentIdOpen: (id) => id === 1 });
    expect(decideAgentMessage(cancel(1), inFlight)).toEqual({ action: 'forward' });
    const dropped = { action: 'drop', reason: 'unknown_cancellation' };
    for (const id of ['1', 2, 1.5]) {
      expect(decideAgentMessage(cancel(id), inFlight)).toEqual(dropped);
    }
    for (const id of [null, undefined, [1], true, {}]) {
      expect(decideAgentMessage(cancel(id), view({ agentIdOpen: () => true }))).toEqual(dropped);
    }
    expect(decideAgentMessage(cancel('a'), view({ agentIdOpen: (id) => id === 'a' }))).toEqual({
      action: 'forward',
    });
  });
});

describe('a further round of a call', () => {
  const round = (
    params: Record<string, unknown>,
    protocolVersion: GateView['protocolVersion'] = '2026-07-28',
  ) => decideAgentMessage(callOf({ name: 'write_file', ...params }), view({ protocolVersion }));

  it('includes the state and the keys of its answers', () => {
    expect(round({ requestState: 's', inputResponses: { a: {}, b: {} } })).toMatchObject({
      action: 'call',
      scope: 'files.write',
      continues: { state: 's', answered: ['a', 'b'] },
    });
    expect(round({ inputResponses: { a: {} } })).toMatchObject({ continues: { state: null } });
    expect(round({ requestState: '' })).toMatchObject({ continues: { state: '', answered: [] } });
  });

  it.each([
    ['a state that is no text', { requestState: 1 }],
    ['a state that is null and an answer that is none', { requestState: null, inputResponses: [] }],
    ['answers that are no object', { inputResponses: 'a' }],
  ])('is refused with %s', (_title, params) => {
    expect(round(params)).toMatchObject({ action: 'refuse', reason: 'unknown_continuation', id: 1 });
  });

  it('does not exist in the older revision', () => {
    expect(round({ requestState: 's' }, '2025-11-25')).toMatchObject({ reason: 'unknown_continuation' });
  });
});

describe('a tool that is called again', () => {
  const answer: Message = { kind: 'result', id: 1, result: { name: 'x' } };
  const list: Message = { kind: 'request', id: 1, method: 'tools/list', params: { name: 'x' } };
  const withoutId: Message = { kind: 'notification', method: 'tools/call', params: { name: 'x' } };
  it('is the one that the call names, truncated to what a record holds', () => {
    expect(newlyCalledTool(callOf({ name: 'x' }))).toBe('x');
    expect(newlyCalledTool(withoutId)).toBe('x');
    expect(newlyCalledTool(callOf({ name: 'x\n'.repeat(200) }))).toBe('x\uFFFD'.repeat(128));
  });

  it('is null in a further round, in another message, and without a name', () => {
    const rounds = [{ inputResponses: {} }, { requestState: 's' }].map((more) => ({ name: 'x', ...more }));
    const messages = [answer, list, callOf({}), callOf({ name: 1 }), ...rounds.map(callOf)];
    expect(messages.map(newlyCalledTool)).toEqual(messages.map(() => null));
  });
});

describe('what the server sends', () => {
  const serverView = (changes: Partial<ServerView> = {}): ServerView => ({
    protocolVersion: '2025-11-25',
    features: new Set(),
    agentRequest: (id) => (id === 1 ? { method: 'tools/call', rounds: 0 } : null),
    serverIdTaken: () => false,
    roomForRequest: true,
    ...changes,
  });
  const all = { features: new Set<ClientFeature>(['elicitation', 'roots', 'sampling']) };
  const decideOn = (message: Message, changes?: Partial<ServerView>) =>
    decideServerMessage(message, serverView(changes));
  const ping: Message = { kind: 'request', id: 9, method: 'ping', params: {} };

  it('passes as an answer to a request in flight, and only as that', () => {
    expect(decideOn({ kind: 'result', id: 1, result: {} })).toEqual({ action: 'answer', id: 1, input: null });
    expect(decideOn({ kind: 'error', id: 1, error: {} })).toEqual({ action: 'answer', id: 1, input: null });
    for (const id of [2, '1']) {
      expect(decideOn({ kind: 'result', id, result: {} })).toMatchObject({
        reason: 'unknown_answer',
        id: null,
      });
    }
    expect(decideOn({ kind: 'error', id: null, error: {} })).toMatchObject({ reason: 'unknown_answer' });
  });

  it('passes as a ping and as a notification', () => {
    expect(decideOn(ping)).toEqual({ action: 'forward' });
    const news: Message = { kind: 'notification', method: 'notifications/message', params: {} };
    expect(decideOn(news)).toEqual({ action: 'forward' });
  });

  it('is refused as a ping under a pending id, and when too many are pending', () => {
    expect(decideOn(ping, { serverIdTaken: () => true })).toEqual({
      action: 'refuse',
      reason: 'id_in_use',
      id: null,
    });
    expect(decideOn(ping, { roomForRequest: false })).toEqual({
      action: 'refuse',
      reason: 'too_many_requests',
      id: 9,
    });
    expect(decideOn(ping, { protocolVersion: '2026-07-28' })).toMatchObject({ reason: 'method_not_allowed' });
  });

  it.each(['tools/call', 'tasks/get', 'initialize'])(
    'is refused and answered when it requests %s of the agent, whatever its entry allows',
    (method) => {
      expect(decideOn({ kind: 'request', id: 9, method, params: {} }, all)).toEqual({
        action: 'refuse',
        reason: 'method_not_allowed',
        id: 9,
      });
    },
  );

  it.each<[string, ClientFeature]>([
    ['sampling/createMessage', 'sampling'],
    ['elicitation/create', 'elicitation'],
    ['roots/list', 'roots'],
  ])('may request %s of the agent if its entry allows that, and not otherwise', (method, feature) => {
    const asks: Message = { kind: 'request', id: 9, method, params: {} };
    expect(decideOn(asks, { features: new Set([feature]) })).toEqual({ action: 'forward' });
    const others = new Set([...all.features].filter((other) => other !== feature));
    expect(decideOn(asks, { features: others })).toEqual({
      action: 'refuse',
      reason: 'client_feature_not_allowed',
      id: 9,
    });
    expect(decideOn(asks, { ...all, serverIdTaken: () => true })).toMatchObject({ reason: 'id_in_use' });
    expect(decideOn(asks, { ...all, protocolVersion: '2026-07-28' })).toMatchObject({
      reason: 'method_not_allowed',
    });
  });

  describe('as a request for input', () => {
    const asks = (result: Record<string, unknown>): Message => ({
      kind: 'result',
      id: 1,
      result: { resultType: 'input_required', ...result },
    });
    const elicit = { method: 'elicitation/create', params: {} };
    const modern = { ...all, protocolVersion: '2026-07-28' as const };

    it('passes in the revision that supports it, with a state, with questions, or with both', () => {
      expect(decideOn(asks({ requestState: 's', inputRequests: { a: elicit } }), modern)).toEqual({
        action: 'answer',
        id: 1,
        input: { state: 's', asked: new Set(['a']) },
      });
      expect(decideOn(asks({ requestState: '' }), modern)).toMatchObject({ input: { state: '' } });
      expect(decideOn(asks({ inputRequests: { a: elicit } }), modern)).toMatchObject({
        input: { state: null },
      });
    });

    it.each<[string, Record<string, unknown>, Partial<ServerView>]>([
      ['in the older revision', { requestState: 's' }, {}],
      ['with nothing in it', {}, modern],
      ['with no question in it', { inputRequests: {} }, modern],
      ['with a state that is no text', { requestState: 1, inputRequests: { a: elicit } }, modern],
      ['with questions that are no object', { requestState: 's', inputRequests: [elicit] }, modern],
      ['with an unknown question', { inputRequests: { a: elicit, b: { method: 'tools/call' } } }, modern],
      ['with a question that is none', { inputRequests: { a: null } }, modern],
      [
        'with more questions than anybody answers',
        { inputRequests: Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`q${at}`, elicit])) },
        modern,
      ],
      [
        'as an answer to what cannot be continued',
        { requestState: 's' },
        { ...modern, agentRequest: () => ({ method: 'tools/list', rounds: 0 }) },
      ],
    ])('is replaced by a refusal %s', (_title, result, changes) => {
      expect(decideOn(asks(result), changes)).toEqual({
        action: 'refuse_answer',
        reason: 'bad_input_request',
        id: 1,
      });
    });

    it('is replaced by a refusal if it requests what its entry does not allow', () => {
      const both = asks({ inputRequests: { a: elicit, b: { method: 'roots/list' } } });
      const allowing = (...features: ClientFeature[]) =>
        decideOn(both, { ...modern, features: new Set(features) });
      expect(allowing('elicitation', 'roots')).toMatchObject({ action: 'answer' });
      for (const refused of [allowing('elicitation'), allowing('roots'), allowing()]) {
        expect(refused).toEqual({ action: 'refuse_answer', reason: 'client_feature_not_allowed', id: 1 });
      }
      expect(decideOn(asks({ requestState: 's' }), { ...modern, features: new Set() })).toMatchObject({
        action: 'answer',
      });
    });

    it('is limited in rounds', () => {
      const inRound = (rounds: number) =>
        decideOn(asks({ requestState: 's' }), {
          ...modern,
          agentRequest: () => ({ method: 'tools/call', rounds }),
        });
      expect(inRound(15)).toMatchObject({ action: 'answer' });
      expect(inRound(16)).toMatchObject({ action: 'refuse_answer', reason: 'too_many_rounds' });
    });
  });
});
