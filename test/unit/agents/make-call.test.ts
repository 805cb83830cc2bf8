import { expect, it } from '@jest/globals';
import type { CallResult } from '../../../agents/call-outcome.ts';
import { makeCall } from '../../../agents/scripted/run-call.ts';
import { parseInstructions } from '../../../contract/scripted-instructions.ts';

const ok = (structured?: unknown): CallResult => ({ ok: true, structured });
const refused = (code: string): CallResult => ({ ok: false, code, message: 'm' });

/** Answers in this order, the last one for ever. */
async function outcomes(step: object, ...answers: CallResult[]) {
  const [parsed] = parseInstructions(
    JSON.stringify({ steps: [{ call: 'a.b', arguments: { n: 1 }, ...step }] }),
  );
  if (parsed === undefined || !('call' in parsed)) {
    throw new Error('it is no call');
  }
  const calls: unknown[] = [];
  const outcome = await makeCall(parsed, {
    call: async (target, args) => {
      calls.push([target, args]);
      return answers[Math.min(calls.length, answers.length) - 1] ?? ok();
    },
  });
  return { outcome, calls };
}

const repeat_on = { code: 'authorization_required', every_seconds: 0.001, timeout_seconds: 60 };

it('a call is made once, whatever its outcome', async () => {
  const { outcome, calls } = await outcomes({}, refused('authorization_required'));
  expect(outcome).toEqual(refused('authorization_required'));
  expect(calls).toEqual([['a.b', { n: 1 }]]);
});

it('a call that is to be repeated is the same one each time, until it succeeds or fails otherwise', async () => {
  const again = refused('authorization_required');
  const first = await outcomes({ repeat_on }, again, again, ok());
  expect(first.outcome).toEqual(ok());
  expect(first.calls).toEqual(Array(3).fill(['a.b', { n: 1 }]));
  const second = await outcomes({ repeat_on }, again, refused('permission_required'));
  expect(second.outcome).toEqual(refused('permission_required'));
  expect(second.calls).toHaveLength(2);
});

it('its repetition ends in time', async () => {
  const { outcome, calls } = await outcomes(
    { repeat_on: { ...repeat_on, timeout_seconds: 0.0015 } },
    refused('authorization_required'),
  );
  expect(outcome).toEqual(refused('authorization_required'));
  expect(calls.length).toBeGreaterThan(0);
});

const repeat_until = { path: 'a.0', equals: { x: 1, y: [2] }, every_seconds: 0.001, timeout_seconds: 60 };

it('a call is made again until its result has the value, in whichever order its keys are', async () => {
  const { outcome, calls } = await outcomes(
    { repeat_until },
    ok(),
    ok({ a: [{ x: 1 }] }),
    ok({ a: [{ y: [2], x: 1 }] }),
    ok({}),
  );
  expect(outcome).toEqual(ok({ a: [{ y: [2], x: 1 }] }));
  expect(calls).toEqual(Array(3).fill(['a.b', { n: 1 }]));
});

it('a call that fails is not made again for a value', async () => {
  const { outcome, calls } = await outcomes({ repeat_until }, ok(), refused('not_found'), ok());
  expect(outcome).toEqual(refused('not_found'));
  expect(calls).toHaveLength(2);
});
