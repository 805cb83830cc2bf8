import { describe, expect, it } from '@jest/globals';
import { digestOf, type Ledger } from '../../../../sidecar/server-link/ledger.ts';
import { eventually } from '../../../support/eventually.ts';
import { createLedger } from './create-ledger.ts';

const open = (ledger: Ledger, id: string | number) =>
  ledger.send({ id, method: 'ping', isModern: false, call: null, argumentsDigest: null });

describe('an id in flight', () => {
  it('blocks every id that could be mistaken for it, and is answered under the same one only', () => {
    const { ledger } = createLedger();
    open(ledger, 1);
    for (const id of [1, '1', '1.0', ' 1', '1e0', '0x1', '01']) {
      expect(ledger.isTaken(id)).toBe(true);
    }
    for (const id of ['1a', '', ' ', 'x1', 2, -1, '11']) {
      expect(ledger.isTaken(id)).toBe(false);
    }
    expect(ledger.find('1')).toBeNull();
    expect(ledger.fail('1', 'unknown')).toBeNull();
    expect(ledger.fail(1, 'unknown')).toMatchObject({ id: 1 });
    expect(ledger.fail(1, 'unknown')).toBeNull();
    expect(ledger.isTaken(1)).toBe(false);
  });

  it('stays reserved after it was abandoned, until its own answer arrives', () => {
    const { ledger } = createLedger();
    open(ledger, 'a');
    expect(ledger.abandon('a', 'cancelled')).toMatchObject({ id: 'a' });
    expect(ledger.find('a')).toBeNull();
    expect(ledger.isTaken('a')).toBe(true);
    ledger.forget('a');
    expect(ledger.isTaken('a')).toBe(false);
    open(ledger, 5);
    ledger.abandon(5, 'cancelled');
    ledger.forget('5');
    expect(ledger.isTaken(5)).toBe(true);
  });

  it('tolerates thousands of cancellations that no server answered, up to a limit', () => {
    const { ledger } = createLedger();
    for (let id = 0; id < 10_000; id += 1) {
      open(ledger, id);
      ledger.abandon(id, 'cancelled');
    }
    expect(ledger.hasRoom).toBe(true);
    for (let id = 10_000; id < 20_000; id += 1) {
      open(ledger, id);
      ledger.abandon(id, 'cancelled');
    }
    expect(ledger.hasRoom).toBe(false);
  });
});

const input = { state: 's', asked: new Set(['a', 'b']) };
const inputNeeded = { kind: 'result', id: 0, result: { resultType: 'input_required' } } as const;
const argumentsDigest = digestOf('{"n":9007199254740993}');

/** Begins a call and sends it as request `id`. */
function sendCall(ledger: Ledger, id: string | number) {
  const call = ledger.begin('t');
  ledger.send({ id, method: 'tools/call', isModern: true, call, argumentsDigest });
  return call;
}

describe('a call that waits for its next round', () => {
  const answer = { state: 's', answered: ['a'] };

  it('is taken once, one round on', () => {
    const { ledger, ended } = createLedger();
    const call = sendCall(ledger, 0);
    ledger.answer(0, inputNeeded, input);
    expect(ledger.resume('t', digestOf('{"n":9007199254740992}'), answer)).toBeNull();
    expect(ledger.resume('t', digestOf('{ "n":9007199254740993}'), answer)).toBeNull();
    expect(ledger.resume('t', argumentsDigest, answer)).toBe(call);
    expect(call.rounds).toBe(1);
    expect(ledger.resume('t', argumentsDigest, answer)).toBeNull();
    expect(ended).toEqual([]);
  });

  it('is reported when it is not continued', () => {
    const { ledger, ended } = createLedger();
    for (let id = 0; id < 256; id += 1) {
      sendCall(ledger, id);
      ledger.answer(id, inputNeeded, input);
    }
    expect(ended).toHaveLength(0);
    const call = sendCall(ledger, 256);
    ledger.answer(256, inputNeeded, input);
    expect(ended).toEqual([`${call.callId}: ok`]);
    ledger.close();
    expect(ended).toHaveLength(257);
    sendCall(ledger, 0);
    ledger.answer(0, inputNeeded, input);
    expect(ended).toHaveLength(257);
    ledger.close();
    expect(ended).toHaveLength(258);
  });
});

describe('the record of a call', () => {
  it('has one start and its first outcome, whatever happens to it afterwards', () => {
    const { ledger, started, ended } = createLedger();
    const call = sendCall(ledger, 'a');
    ledger.answer('a', { kind: 'result', id: 'a', result: { isError: true } }, null);
    ledger.answer('a', { kind: 'result', id: 'a', result: {} }, null);
    ledger.fail('a', 'protocol_error');
    ledger.abandon('a', 'cancelled');
    ledger.close();
    call.end('unknown');
    expect({ started, ended }).toEqual({ started: [call.callId], ended: [`${call.callId}: tool_error`] });
  });

  it.each([
    ['waiting', { code: -32603, message: 'Sign in.', data: { code: 'authorization_required' } }],
    ['protocol_error', { code: -32603, message: 'No.', data: { code: 'server_unavailable' } }],
    ['protocol_error', { code: -32603, message: 'authorization_required', data: 'authorization_required' }],
    ['protocol_error', { code: -32603, message: 'No.', data: null }],
    ['protocol_error', { code: -32603, message: 'No.' }],
  ])('says %s of a call that is answered with the error %j', (outcome, error) => {
    const { ledger, ended } = createLedger();
    const call = sendCall(ledger, 'a');
    ledger.answer('a', { kind: 'error', id: 'a', error }, null);
    expect(ended).toEqual([`${call.callId}: ${outcome}`]);
  });

  it('is closed wherever the call waits when the connection ends', () => {
    const { ledger, ended } = createLedger();
    const calls = [sendCall(ledger, 1), sendCall(ledger, 2), sendCall(ledger, 3)];
    ledger.answer(2, inputNeeded, input);
    ledger.abandon(3, 'cancelled');
    ledger.close();
    const outcomes = new Map(ended.map((line) => line.split(': ') as [string, string]));
    expect(calls.map(({ callId }) => outcomes.get(callId))).toEqual(['unknown', 'unknown', 'cancelled']);
    expect(ended).toHaveLength(3);
  });

  it('is closed as unknown when no answer arrives in time, and the id stays reserved', async () => {
    const { ledger, ended, timedOut } = createLedger({ callTimeoutMs: 20 });
    const call = sendCall(ledger, 1);
    open(ledger, 2);
    await eventually(() => expect(timedOut).toEqual([1]));
    expect(ended).toEqual([`${call.callId}: unknown`]);
    expect(ledger.find(1)).toBeNull();
    expect(ledger.isTaken(1)).toBe(true);
    expect(ledger.find(2)).toMatchObject({ id: 2 });
  });

  it('of requests that fail together is closed before each is answered', () => {
    const { ledger, ended } = createLedger();
    const calls = [sendCall(ledger, 1), sendCall(ledger, 2)];
    const failed: [unknown, number][] = [];
    for (const { id } of ledger.failAll('unknown')) {
      failed.push([id, ended.length]);
    }
    expect(failed).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(ended).toEqual(calls.map(({ callId }) => `${callId}: unknown`));
  });
});
