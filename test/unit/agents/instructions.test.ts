import { describe, expect, it } from '@jest/globals';
import {
  describeOutcome,
  isExpected,
  outcomeOfError,
  outcomeOfResult,
} from '../../../agents/call-outcome.ts';
import { describeStep, parseInstructions } from '../../../contract/scripted-instructions.ts';

const parse = (steps: unknown) => parseInstructions(JSON.stringify({ steps }));

describe('the instructions of the scripted agent', () => {
  it('take a call, a wait and a sleep, with their defaults', () => {
    expect(
      parse([
        { call: 'files.read_file' },
        { wait_for_message: { contains: 'approved' } },
        { sleep_seconds: 1 },
      ]),
    ).toEqual([
      { call: 'files.read_file', arguments: {}, expect: 'ok' },
      { wait_for_message: { contains: 'approved', timeout_seconds: 60 } },
      { sleep_seconds: 1 },
    ]);
  });

  it('name each problem and where it is', () => {
    expect(() => parseInstructions('not json')).toThrow('the instructions are not JSON');
    expect(() => parseInstructions('{"steps":[],"more":1}')).toThrow(/more/);
    expect(() =>
      parse([{ call: 'files.read' }, { call: 'nodot' }, { wait_for_message: { timeout_seconds: 'x' } }]),
    ).toThrow(/steps\.1\.call: must be <server>\.<tool>; steps\.2\.wait_for_message\.timeout_seconds: /);
    expect(() => parse([{ call: 'a.b', sleep_seconds: 1 }])).toThrow('steps.0: must have exactly one of');
    expect(() => parse([{ call: 'a.b', args: {} }])).toThrow(/args/);
  });

  it('say with which code a call is made again, for how long', () => {
    const repeat = (repeat_on: object) => parse([{ call: 'a.b', repeat_on }]);
    expect(repeat({ code: 'authorization_required' })).toEqual([
      {
        call: 'a.b',
        arguments: {},
        expect: 'ok',
        repeat_on: { code: 'authorization_required', every_seconds: 10, timeout_seconds: 600 },
      },
    ]);
    expect(() => repeat({})).toThrow(/steps\.0\.repeat_on\.code/);
    expect(() => repeat({ code: 'x', every_seconds: 0 })).toThrow(/steps\.0\.repeat_on\.every_seconds/);
  });

  it('say until which value of its result a call is made again', () => {
    const repeat = (repeat_until: object, more = {}) => parse([{ call: 'a.b', repeat_until, ...more }]);
    expect(repeat({ path: 'status', equals: null })).toEqual([
      {
        call: 'a.b',
        arguments: {},
        expect: 'ok',
        repeat_until: { path: 'status', equals: null, every_seconds: 10, timeout_seconds: 600 },
      },
    ]);
    expect(() => repeat({ path: 'status' })).toThrow('steps.0.repeat_until.equals: is required');
    expect(() => repeat({ path: 'a..b', equals: 1 })).toThrow(
      'steps.0.repeat_until.path: must be names and indexes separated by dots',
    );
    const until = { path: 'status', equals: 'done' };
    expect(() => repeat(until, { expect: 'error' })).toThrow(
      'steps.0.repeat_until: is only possible where expect is ok',
    );
    expect(() => repeat(until, { repeat_on: { code: 'x' } })).toThrow(
      'steps.0.repeat_until: is not possible together with repeat_on',
    );
  });

  it('name the kind of message to wait for', () => {
    const wait = (kind: string) => parse([{ wait_for_message: { kind } }]);
    expect(wait('permission_decision')).toEqual([
      { wait_for_message: { kind: 'permission_decision', timeout_seconds: 60 } },
    ]);
    expect(() => wait('letter')).toThrow(
      /steps\.0\.wait_for_message\.kind: must be one of user_message, permission_decision/,
    );
  });

  it('are readable in a status', () => {
    const steps = [
      { call: 'a.b' },
      { wait_for_message: {} },
      { wait_for_message: { kind: 'user_message', contains: 'go' } },
    ];
    expect(parse(steps).map(describeStep)).toEqual([
      'call a.b',
      'wait for a message',
      'wait for a message of kind user_message with "go"',
    ]);
  });
});

describe('saved values in the instructions', () => {
  const start = (save: object = { child: 'session_id' }) => ({ call: 'a.start', save });
  const use = (value: unknown) => ({ call: 'a.use', arguments: { value } });

  it('are used by later steps, at any depth', () => {
    const steps = [start(), use({ $saved: 'child' }), use([{ in: [{ $saved: 'child' }] }])];
    expect(parse(steps)).toMatchObject(steps);
  });

  it('are refused in steps that no saving step precedes, with the place', () => {
    const reference = { $saved: 'child' };
    expect(() => parse([use(1), use([{ in: reference }]), start()])).toThrow(
      'the instructions are not usable: steps.1.arguments.value.0.in: step 2 uses the variable "child", which no earlier step saves',
    );
    expect(() => parse([{ ...start(), arguments: { id: reference } }])).toThrow(/arguments\.id: step 1 uses/);
    expect(() => parse([start(), use([{ $saved: 'a' }, reference, { $saved: '' }])])).toThrow(
      /value\.0: .*"a".*; steps\.1\.arguments\.value\.2: .*""/,
    );
    expect(() => parse([start(), { call: 'a.use', arguments: reference }])).toThrow(
      'steps.1.arguments: must name each argument',
    );
  });

  it('are only references in objects with nothing else', () => {
    const data = [{ $saved: 'other', more: 1 }, { $saved: 1 }, { saved: 'other' }, '$saved'];
    expect(parse([use(data)])).toMatchObject([use(data)]);
  });

  it('have names and paths', () => {
    const longest = 'a'.repeat(32);
    expect(parse([start({ [longest]: 'agents.0.agent_id' })])).toHaveLength(1);
    for (const name of ['Child', '1st', '', 'a-b', `${longest}a`]) {
      expect(() => parse([start({ [name]: 'id' })])).toThrow(
        `steps.0.save.${name}: must be a variable: lower-case letters`,
      );
    }
    for (const path of ['', '.', 'a.', '.a']) {
      expect(() => parse([start({ a: path })])).toThrow('steps.0.save.a: must be names and indexes');
    }
    expect(() => parse([{ ...start(), expect: 'error' }])).toThrow(
      'steps.0.save: is only possible where expect is ok',
    );
  });
});

describe('the outcome of a call', () => {
  const refused = (meta: object | undefined, text: string) => ({
    isError: true,
    content: [{ type: 'text', text }],
    ...(meta ? { _meta: meta } : {}),
  });

  it('is read from the code in the metadata, in the text, or in the data of a JSON-RPC error', () => {
    const outcomes = [
      outcomeOfResult(refused({ 'platform/error': { code: 'permission_required' } }, 'x')),
      outcomeOfResult(refused(undefined, '{"code":"permission_required","message":"m"}')),
      outcomeOfError({ message: 'm', data: { code: 'permission_required' } }),
    ];
    expect(outcomes.map((outcome) => isExpected('permission_required', outcome))).toEqual([true, true, true]);
    expect(outcomes.every((outcome) => isExpected('error', outcome) && !isExpected('ok', outcome))).toBe(
      true,
    );
  });

  it('carries the structured content of a result', () => {
    const structuredContent = { session_id: 's', agents: [{}] };
    expect(outcomeOfResult({ content: [], structuredContent })).toEqual({
      ok: true,
      structured: structuredContent,
    });
    expect(outcomeOfResult({ content: [] })).toEqual({ ok: true, structured: undefined });
  });

  it('is ok for any result without an error, and distinguishes an error without a code from one with another code', () => {
    expect(isExpected('ok', outcomeOfResult({ content: [] }))).toBe(true);
    const plain = outcomeOfResult(refused(undefined, 'it broke'));
    expect([isExpected('error', plain), isExpected('permission_required', plain)]).toEqual([true, false]);
    expect(describeOutcome(plain)).toBe('error (it broke)');
  });
});
