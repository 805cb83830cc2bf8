import { describe, expect, it } from '@jest/globals';
import { Continuations, digestOf } from '../../../../sidecar/server-link/continuations.ts';
import { InFlight, type OpenCall } from '../../../../sidecar/server-link/in-flight.ts';

const open = (inFlight: InFlight, id: string | number) =>
  inFlight.add({ id, method: 'ping', call: null, isModern: false, timer: null });

describe('an id in flight', () => {
  it('keeps every id that could be taken for it out, and is answered under itself only', () => {
    const inFlight = new InFlight();
    open(inFlight, 1);
    for (const id of [1, '1', '1.0', ' 1', '1e0', '0x1', '01']) {
      expect(inFlight.isTaken(id)).toBe(true);
    }
    for (const id of ['1a', '', ' ', 'x1', 2, -1, '11']) {
      expect(inFlight.isTaken(id)).toBe(false);
    }
    expect(inFlight.find('1')).toBeNull();
    expect(inFlight.answer('1')).toBeNull();
    expect(inFlight.answer(1)).toMatchObject({ id: 1 });
    expect(inFlight.answer(1)).toBeNull();
    expect(inFlight.isTaken(1)).toBe(false);
  });

  it('stays taken after it was abandoned, until the very answer to it came', () => {
    const inFlight = new InFlight();
    open(inFlight, 'a');
    expect(inFlight.abandon('a')).toMatchObject({ id: 'a' });
    expect(inFlight.find('a')).toBeNull();
    expect(inFlight.isTaken('a')).toBe(true);
    inFlight.forget('a');
    expect(inFlight.isTaken('a')).toBe(false);
    open(inFlight, 5);
    inFlight.abandon(5);
    inFlight.forget('5');
    expect(inFlight.isTaken(5)).toBe(true);
  });

  it('leaves room after thousands of cancellations that no server answered, and not without end', () => {
    const inFlight = new InFlight();
    for (let id = 0; id < 10_000; id += 1) {
      open(inFlight, id);
      inFlight.abandon(id);
    }
    expect(inFlight.hasRoom).toBe(true);
    for (let id = 10_000; id < 20_000; id += 1) {
      open(inFlight, id);
      inFlight.abandon(id);
    }
    expect(inFlight.hasRoom).toBe(false);
  });
});

describe('a call that waits for its next round', () => {
  const call: OpenCall = {
    callId: 'c',
    tool: 't',
    scope: null,
    argumentsDigest: digestOf('{"n":9007199254740993}'),
    rounds: 0,
  };
  const input = { state: 's', asked: new Set(['a', 'b']) };
  const answer = { state: 's', answered: ['a'] };

  it('is taken once, one round on', () => {
    const continuations = new Continuations(() => undefined);
    continuations.wait(call, input);
    expect(continuations.take('t', digestOf('{"n":9007199254740992}'), answer)).toBeNull();
    expect(continuations.take('t', digestOf('{ "n":9007199254740993}'), answer)).toBeNull();
    expect(continuations.take('t', digestOf('{"n":9007199254740993}'), answer)).toEqual({
      ...call,
      rounds: 1,
    });
    expect(continuations.take('t', digestOf('{"n":9007199254740993}'), answer)).toBeNull();
  });

  it('is reported when nobody continues it', () => {
    const ended: string[] = [];
    const continuations = new Continuations(({ callId }) => ended.push(callId));
    for (let index = 0; index < 256; index += 1) {
      expect(continuations.hasRoom).toBe(true);
      continuations.wait(call, input);
    }
    expect(continuations.hasRoom).toBe(false);
    continuations.endAll();
    expect(ended).toHaveLength(256);
    expect(continuations.hasRoom).toBe(true);
  });
});
