import { expect, it } from '@jest/globals';
import type { CheckAnswer } from '../../../../contract/sidecar.ts';
import { createCheckQueue } from '../../../../sidecar/platform-api/check-queue.ts';
import type { CheckRequest } from '../../../../sidecar/platform-api/platform-api.ts';
import { PlatformRefusal, PlatformUnreachable } from '../../../../sidecar/platform-api/request.ts';
import { eventually } from '../../../support/eventually.ts';

const allowed: CheckAnswer = { decision: 'allowed', granted_via: null };
const call = (call_id: string): CheckRequest => ({ call_id, server: 'files', tool: 'write' });
const gone = new PlatformUnreachable('gone');
const oneIsBad = new PlatformRefusal(422, 'validation_failed', 'One of them is not valid');
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A platform whose answers to several calls come when the test says so. */
function connect() {
  const batches: { ids: string[]; answer: (ids?: string[]) => void; fail: (error: Error) => void }[] = [];
  const singles: string[] = [];
  const most = { atATime: 0 };
  let unanswered = 0;
  const answerAlone = async (call_id: string) => {
    await settled();
    if (call_id.startsWith('bad')) {
      throw new PlatformRefusal(422, 'validation_failed', 'no');
    }
    if (call_id.startsWith('lost')) {
      throw gone;
    }
    return allowed;
  };
  const api = {
    checkCall({ call_id }: CheckRequest) {
      singles.push(call_id);
      unanswered += 1;
      most.atATime = Math.max(most.atATime, unanswered);
      return answerAlone(call_id).finally(() => {
        unanswered -= 1;
      });
    },
    checkCalls: (requests: readonly CheckRequest[]) =>
      new Promise<ReadonlyMap<string, CheckAnswer>>((resolve, reject) => {
        const ids = requests.map(({ call_id }) => call_id);
        const answer = (answered = ids) => resolve(new Map(answered.map((id) => [id, allowed])));
        batches.push({ ids, answer, fail: reject });
      }),
  };
  const checkCall = createCheckQueue(api);
  const ask = (...ids: string[]) => Promise.allSettled(ids.map((id) => checkCall(call(id))));
  return { batches, singles, most, ask };
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

it('asks one by one, in order, when a request is refused as a whole, so that one bad call fails alone', async () => {
  const { batches, singles, most, ask } = connect();
  const asked = ask('a', 'bad', 'b');
  await eventually(() => expect(batches).toHaveLength(1));
  batches[0]?.fail(oneIsBad);
  expect(await outcomes(asked)).toEqual(['allowed', expect.any(PlatformRefusal), 'allowed']);
  expect({ singles, most }).toEqual({ singles: ['a', 'bad', 'b'], most: { atATime: 1 } });
  const again = ask('c', 'd');
  await eventually(() => expect(batches).toHaveLength(2));
  batches[1]?.answer();
  await again;
});

it('waits for an unreachable platform once, however many calls it would ask about one by one', async () => {
  const { batches, singles, ask } = connect();
  const asked = ask('a', 'lost', 'b');
  await eventually(() => expect(batches).toHaveLength(1));
  batches[0]?.fail(oneIsBad);
  expect(await outcomes(asked)).toEqual(['allowed', gone, gone]);
  expect(singles).toEqual(['a', 'lost']);
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
