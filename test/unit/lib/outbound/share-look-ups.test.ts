/** Look-ups of names that workspaces chose take turns: slow name servers of one leave room for the others. */
import type { LookupAddress } from 'node:dns';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { ResolveName } from '../../../../lib/outbound/guarded-lookup.ts';
import { shareLookUps } from '../../../../lib/outbound/resolve-names.ts';

const address = { address: '192.0.2.1', family: 4 };
const unhurried = { whole: 5, ofWorkspace: 2, limitMs: 60_000 };

/** A resolver whose look-ups end when the test, or their signal, says so. */
function slowResolver() {
  const asked: string[] = [];
  const open = new Map<string, () => void>();
  const resolve = (hostname: string, signal: AbortSignal) => {
    asked.push(hostname);
    return new Promise<LookupAddress[]>((resolved, reject) => {
      open.set(hostname, () => resolved([address]));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  return { asked, resolve, answer: (hostname: string) => open.get(hostname)?.() };
}

let ended: AbortController;
beforeEach(() => {
  ended = new AbortController();
});
afterEach(() => ended.abort(new Error('the test is over')));

/** Looks up a name for a workspace, until it is answered or the test is over. */
function ask(lookUp: ResolveName, name: string, workspace?: string): Promise<LookupAddress[]> {
  const found = lookUp(name, AbortSignal.any([ended.signal]), workspace);
  found.catch(() => undefined);
  return found;
}
const names = (workspace: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${index}.${workspace}.test`);
const caught = (work: Promise<unknown>) => work.catch((error: unknown) => error);

it('one workspace has its share of the look-ups, and others theirs', async () => {
  const { asked, resolve, answer } = slowResolver();
  const lookUp = shareLookUps(resolve, unhurried);
  const slow = names('slow', 10).map((name) => ask(lookUp, name, 'slow'));
  const others = ['a', 'b'].map((workspace) => ask(lookUp, `${workspace}.test`, workspace));
  await setImmediate();
  expect(asked).toEqual(['0.slow.test', '1.slow.test', 'a.test', 'b.test']);
  for (const name of ['a.test', 'b.test', '1.slow.test']) {
    answer(name);
  }
  expect(await Promise.all([...others, slow[1]])).toEqual([[address], [address], [address]]);
  await setImmediate();
  expect(asked.slice(4)).toEqual(['2.slow.test']);
});

it('all together have as many as there are, and the next begins when one ends', async () => {
  const { asked, resolve, answer } = slowResolver();
  const lookUp = shareLookUps(resolve, unhurried);
  for (const workspace of ['a', 'b', 'c']) {
    void names(workspace, 2).map((name) => ask(lookUp, name, workspace));
  }
  await setImmediate();
  expect(asked).toHaveLength(5);
  answer('0.a.test');
  await setImmediate();
  expect(asked).toHaveLength(6);
});

it('who waits gives up with the request, and is not looked up', async () => {
  const { asked, resolve, answer } = slowResolver();
  const lookUp = shareLookUps(resolve, unhurried);
  const running = names('slow', 2).map((name) => ask(lookUp, name, 'slow'));
  const ending = new AbortController();
  const waiting = caught(lookUp('late.test', ending.signal, 'slow'));
  const last = ask(lookUp, 'last.test', 'slow');
  await setImmediate();
  ending.abort(new Error('nobody waits any more'));
  expect(await waiting).toMatchObject({ message: 'nobody waits any more' });
  for (const name of names('slow', 2)) {
    answer(name);
  }
  await Promise.all(running);
  await setImmediate();
  answer('last.test');
  expect(await last).toEqual([address]);
  expect(asked).toEqual([...names('slow', 2), 'last.test']);
});

it('who waits beyond the limit, or is not answered within it, fails as the system’s look-up does', async () => {
  const { asked, resolve } = slowResolver();
  const lookUp = shareLookUps(resolve, { whole: 5, ofWorkspace: 1, limitMs: 50 });
  const [unanswered, waiting] = ['unanswered.test', 'waiting.test'].map((name) =>
    caught(lookUp(name, undefined, 'slow')),
  );
  expect(await unanswered).toMatchObject({ code: 'EAI_AGAIN', message: 'EAI_AGAIN unanswered.test' });
  expect(await waiting).toMatchObject({ code: 'EAI_AGAIN', message: 'EAI_AGAIN waiting.test' });
  expect(asked[0]).toBe('unanswered.test');
});

it('look-ups for no workspace have a share, too', async () => {
  const { asked, resolve } = slowResolver();
  const lookUp = shareLookUps(resolve, unhurried);
  void names('nobody', 4).map((name) => ask(lookUp, name));
  await setImmediate();
  expect(asked).toHaveLength(2);
});
