import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createPatternChecker,
  type PatternChecker,
  PatternsBusyError,
} from '../../../../lib/patterns/pattern-checker.ts';
import { eventually } from '../../../support/eventually.ts';

/** Takes most of a second to compile, and as long to match. */
const slow = { regex: `(?:${'x*'.repeat(240)}){1000}`, text: 'x' };
const by = (userId: string, workspaceId = userId) => ({ userId, workspaceId });
const w = by('w');
const quick = { regex: 'a+', text: 'aaa' };

const opened: PatternChecker[] = [];
const withOptions = (options: Parameters<typeof createPatternChecker>[0]) => {
  const checker = createPatternChecker(options);
  opened.push(checker);
  return checker;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((checker) => checker.close()));
});

describe('the thread that runs expressions', () => {
  it('returns the verdict on each task, and no others', async () => {
    const differs = { regex: 'a+', text: 'b' };
    const judge = await withOptions({}).check(w, [
      quick,
      differs,
      { regex: '(', text: null },
      { regex: 'b', text: null },
    ]);
    expect(judge(quick)).toEqual({ result: 'matches' });
    expect(judge(differs)).toEqual({ result: 'differs' });
    expect(judge({ regex: '(', text: null })).toMatchObject({ result: 'invalid' });
    expect(judge({ regex: 'b', text: null })).toEqual({ result: 'compiles' });
    expect(judge({ regex: 'a+', text: 'c' })).toEqual({ result: 'not_checked' });
  });

  it('gives up on a slow task, names it, and continues with the next request', async () => {
    const { check } = withOptions({ deadlineMs: 50 });
    const late = Array.from({ length: 50 }, (_, at) => ({ ...slow, text: 'x'.repeat(at + 1) }));
    const judge = await check(w, late);
    const results = late.map((task) => judge(task).result);
    expect(results.filter((result) => result === 'too_costly')).toHaveLength(1);
    expect(results.at(-1)).toBe('not_checked');
    const again = await withOptions({}).check(w, [quick]);
    expect(again(quick).result).toBe('matches');
  });

  it('replaces a thread that ran out of time', async () => {
    // Far less than the tasks take, and perhaps less than another thread takes to start.
    const { check } = withOptions({ deadlineMs: 1000 });
    const late = Array.from({ length: 1000 }, (_, at) => ({ ...slow, text: 'x'.repeat(at + 1) }));
    await check(w, late);
    await eventually(async () => expect((await check(w, [quick]))(quick).result).toBe('matches'));
  });

  it('does not block the caller’s event loop', async () => {
    const { check } = withOptions({ deadlineMs: 60_000 });
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 5);
    await check(w, [quick]);
    const before = turns;
    const started = performance.now();
    await check(
      w,
      Array.from({ length: 3 }, (_, at) => ({ ...slow, text: 'x'.repeat(at) })),
    );
    const tookMs = performance.now() - started;
    clearInterval(counting);
    // If the loop were blocked, the timer would have fired at most once per task.
    expect(turns - before).toBeGreaterThan(Math.min(tookMs / 100, 10));
  });

  it('prevents a single user from filling the queue', async () => {
    const { check } = withOptions({ maxWaiting: 3, maxWaitingOfUser: 2 });
    const first = [check(by('loud'), [quick]), check(by('loud'), [quick])];
    await expect(check(by('loud'), [quick])).rejects.toThrow(PatternsBusyError);
    const other = check(by('quiet'), [quick]);
    await expect(check(by('third'), [quick])).rejects.toThrow(PatternsBusyError);
    expect((await other)(quick).result).toBe('matches');
    await Promise.all(first);
    expect((await check(by('loud'), [quick]))(quick).result).toBe('matches');
  });

  it('prevents the people of a workspace from filling the queue', async () => {
    const { check } = withOptions({ maxWaiting: 3, maxWaitingOfWorkspace: 2 });
    const first = [check(by('a', 'loud'), [quick]), check(by('b', 'loud'), [quick])];
    await expect(check(by('c', 'loud'), [quick])).rejects.toThrow(PatternsBusyError);
    expect((await check(by('c', 'quiet'), [quick]))(quick).result).toBe('matches');
    await Promise.all(first);
    expect((await check(by('c', 'loud'), [quick]))(quick).result).toBe('matches');
  });

  it('has workspaces take turns, and the users of one', async () => {
    const { check } = withOptions({});
    const ended: string[] = [];
    const asked = [
      ['first of a', by('a', 'loud')],
      ['second of a', by('a', 'loud')],
      ['third of a', by('a', 'loud')],
      ['of b', by('b', 'loud')],
      ['of another', by('c', 'quiet')],
    ] as const;
    await Promise.all(asked.map(([name, owner]) => check(owner, [quick]).then(() => ended.push(name))));
    expect(ended).toEqual(['first of a', 'of another', 'of b', 'second of a', 'third of a']);
  });
});
