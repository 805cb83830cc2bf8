import { expect, it } from '@jest/globals';
import type { CheckAnswer } from '../../../../contract/sidecar.ts';
import { createCheckQueue } from '../../../../sidecar/platform-api/check-queue.ts';
import type { CheckRequest } from '../../../../sidecar/platform-api/platform-api.ts';
import { PlatformRefusal, PlatformUnreachable } from '../../../../sidecar/platform-api/request.ts';
import { eventually } from '../../../support/eventually.ts';

const allowed: CheckAnswer = { decision: 'allowed', granted_via: null };
const call = (call_id: string): CheckRequest => ({ call_id, server: 'files', tool: 'write' });
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A platform whose answers to several calls come when the test says so. */
function connect() {
  const batches: { ids: string[]; answer: (ids?: string[]) => void; fail: (error: Error) => void }[] = [];
  const singles: string[] = [];
  const checkCall = createCheckQueue({
    checkCall({ call_id }) {
      singles.push(call_id);
      return call_id.startsWith('bad')
        ? Promise.reject(new PlatformRefusal(422, 'validation_failed', 'no'))
        : Promise.resolve(allowed);
    },
    checkCalls: (requests) =>
      new Promise((resolve, reject) => {
        const ids = requests.map(({ call_id }) => call_id);
        const answer = (answered = ids) => resolve(new Map(answered.map((id) => [id, allowed])));
        batches.push({ ids, answer, fail: reject });
      }),
  });
  const ask = (...ids: string[]) => Promise.allSettled(ids.map((id) => checkCall(call(id))));
  return { batches, singles, ask };
}

const outcomes = async (work: ReturnType<ReturnType<typeof connect>['ask']>) =>
  (await work).map((result) => (result.status === 'fulfilled' ? result.value.decision : result.reason));

it('asks about a call alone in a request of its own', async () => {
  const { batches, singles, ask } = connect();
  expect(await outcomes(ask('a'))).toEqual(['allowed']);
  expect({ batches, singles }).toEqual({ batches: [], singles: ['a'] });
});

it('asks about calls of one turn together, 64 at most', async () => {
  const { batches, ask } = connect();
  const asked = ask(...Array.from({ length: 100 }, (_, index) => `call ${index}`));
  await eventually(() => expect(batches.map(({ ids }) => ids.length)).toEqual([64, 36]));
  for (const { answer } of batches) {
    answer();
  }
  expect(new Set(await outcomes(asked))).toEqual(new Set(['allowed']));
});

it('sends others while a request is not answered, four at a time, and collects the rest', async () => {
  const { batches, ask } = connect();
  const work = [];
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    work.push(ask(`${name}1`, `${name}2`));
    await settled();
  }
  expect(batches.map(({ ids }) => ids[0])).toEqual(['a1', 'b1', 'c1', 'd1']);
  batches[2]?.answer();
  expect(await outcomes(work[2] ?? ask())).toEqual(['allowed', 'allowed']);
  await eventually(() => expect(batches[4]?.ids).toEqual(['e1', 'e2', 'f1', 'f2']));
  for (const { answer } of batches) {
    answer();
  }
  expect((await Promise.all(work.map(outcomes))).flat()).toHaveLength(12);
});

it('asks one by one when a request is refused as a whole, so that one bad call fails alone', async () => {
  const { batches, singles, ask } = connect();
  const asked = ask('a', 'bad', 'b');
  await eventually(() => expect(batches).toHaveLength(1));
  batches[0]?.fail(new PlatformRefusal(404, 'not_found', 'There is no such route'));
  expect(await outcomes(asked)).toEqual(['allowed', expect.any(PlatformRefusal), 'allowed']);
  expect(singles).toEqual(['a', 'bad', 'b']);
});

it.each([
  ['the platform is unreachable', new PlatformUnreachable('gone')],
  ['the session has ended', new PlatformRefusal(401, 'unauthenticated', 'The session has ended')],
])('refuses each of them when %s', async (_what, error) => {
  const { batches, singles, ask } = connect();
  const asked = ask('a', 'b');
  await eventually(() => expect(batches).toHaveLength(1));
  batches[0]?.fail(error);
  expect(await outcomes(asked)).toEqual([error, error]);
  expect(singles).toEqual([]);
});

it('asks again about calls that an answer leaves out, before those that came later', async () => {
  const { batches, singles, ask } = connect();
  const asked = ask('a', 'b', 'c');
  await eventually(() => expect(batches).toHaveLength(1));
  const later = ask('d');
  batches[0]?.answer(['b']);
  await eventually(() => expect(batches[1]?.ids).toEqual(['a', 'c', 'd']));
  batches[1]?.answer();
  expect(await outcomes(asked)).toEqual(['allowed', 'allowed', 'allowed']);
  expect(await outcomes(later)).toEqual(['allowed']);
  expect(singles).toEqual([]);
});

it('refuses calls that are left out by an answer about none of them', async () => {
  const { batches, singles, ask } = connect();
  const asked = ask('a', 'b');
  await eventually(() => expect(batches).toHaveLength(1));
  batches[0]?.answer(['c']);
  expect(await outcomes(asked)).toEqual([expect.any(PlatformUnreachable), expect.any(PlatformUnreachable)]);
  expect(singles).toEqual([]);
});
