/** A silent name server blocks only one thread, however many lookups are made meanwhile. */
import { expect, it } from '@jest/globals';
import { shareLookups } from '../../../../sidecar/platform-api/share-lookups.ts';

const address = { address: '192.0.2.1', family: 4 };

function countingLookups() {
  const asked: { answer: (found: (typeof address)[]) => void; fail: (error: Error) => void }[] = [];
  const lookup = shareLookups(() => new Promise((answer, fail) => asked.push({ answer, fail })));
  const ask = (all: boolean) =>
    new Promise((resolve, reject) =>
      lookup('api', { all }, (error, found) => (error ? reject(error) : resolve(found))),
    );
  return { asked, ask };
}

it('looks a name up once, however many callers wait for it, and again afterwards', async () => {
  const { asked, ask } = countingLookups();
  const waiting = [ask(true), ask(false), ask(true)];
  expect(asked).toHaveLength(1);
  asked[0]?.answer([address]);
  expect(await Promise.all(waiting)).toEqual([[address], '192.0.2.1', [address]]);
  const next = ask(false);
  expect(asked).toHaveLength(2);
  asked[1]?.answer([address]);
  expect(await next).toBe('192.0.2.1');
});

it('reports a failure to every caller, and caches nothing', async () => {
  const { asked, ask } = countingLookups();
  const waiting = [ask(true), ask(false)];
  asked[0]?.fail(new Error('EAI_AGAIN'));
  expect(await Promise.allSettled(waiting)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  const next = ask(true);
  asked[1]?.answer([address]);
  expect(await next).toEqual([address]);
});
