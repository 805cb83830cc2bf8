import { describe, expect, it } from '@jest/globals';
import {
  describeOutcome,
  isExpected,
  outcomeOfError,
  outcomeOfResult,
} from '../../../agents/scripted/call-outcome.ts';
import { describeStep, parseInstructions } from '../../../contract/scripted-instructions.ts';

const parse = (steps: unknown) => parseInstructions(JSON.stringify({ steps }));

describe('the instructions of the scripted agent', () => {
  it('take the three kinds of step, with their defaults', () => {
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

  it('are readable in a status', () => {
    expect(parse([{ call: 'a.b' }, { wait_for_message: {} }]).map(describeStep)).toEqual([
      'call a.b',
      'wait for a message',
    ]);
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

  it('is ok for any result without an error, and distinguishes an error without a code from one with another code', () => {
    expect(isExpected('ok', outcomeOfResult({ content: [] }))).toBe(true);
    const plain = outcomeOfResult(refused(undefined, 'it broke'));
    expect([isExpected('error', plain), isExpected('permission_required', plain)]).toEqual([true, false]);
    expect(describeOutcome(plain)).toBe('error (it broke)');
  });
});
