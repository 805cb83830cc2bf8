/** Tests wait for events, with one limit; those that measure time are known, and run alone. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { measuringFiles, onlyAtLeastFiles, ownProcessFiles } from '../run-alone.mjs';
import { allowedSleeps } from './allowed-sleeps.ts';
import { testSources } from './test-sources.ts';

const looksAtTheClock =
  /loop-hold\.ts'|performance\.now\(|process\.(cpuUsage|memoryUsage|resourceUsage|hrtime)\b|approvalMs\(|Date\.now\(\) - (before|began|started)/;
const changesItsProcess =
  /process\.env\[[^\]]+\] = |delete process\.env|process\.chdir\(|process\.on\('(?:uncaught|unhandled)|globalThis(?:\.\w+|\[[^\]]+\]) = |^import '.*\/on-docker\.ts'/m;
const sleep = /(?<![\w.])sleep\(|new Promise(?:<[^>]*>)?\(\s*\((\w+)\) =>\s*(?:void )?setTimeout\(\s*\1\b/g;
const limit = /\bwithinMs: ([\d_]+)/g;
const waitLimitMs = 120_000;

const sleepsIn = (text: string) => [...text.matchAll(sleep)].length;
const shortLimitsIn = (text: string) =>
  [...text.matchAll(limit)].filter(([, ms = '']) => Number(ms.replaceAll('_', '')) < waitLimitMs).length;

const sources = testSources();
const files = sources.filter(
  ({ path }) => path.endsWith('.test.ts') && !path.startsWith('test/architecture/'),
);
const without = (isSo: RegExp, ...lists: Record<string, string>[]) =>
  files
    .filter(({ path, text }) => isSo.test(text) && !lists.some((list) => path in list))
    .map(({ path }) => path);

describe('the lists of test/run-alone.mjs', () => {
  it('name each file that looks at the clock', () => {
    expect(without(looksAtTheClock, measuringFiles, onlyAtLeastFiles)).toEqual([]);
  });

  it('name each file that changes its process', () => {
    expect(without(changesItsProcess, measuringFiles, ownProcessFiles)).toEqual([]);
  });

  it('name files that exist, each once, with a reason', () => {
    const listed = [measuringFiles, ownProcessFiles, onlyAtLeastFiles].flatMap(Object.entries);
    expect(new Set(listed.map(([path]) => path)).size).toBe(listed.length);
    expect(listed.filter(([path, reason]) => !existsSync(path) || reason === '')).toEqual([]);
  });
});

describe('a wait of a test', () => {
  it('ends with what it waits for: the sleeps that are left only get fewer', () => {
    const found = sources.flatMap(({ path, text }) => {
      const count = sleepsIn(text);
      return count > 0 ? [[path, count] as const] : [];
    });
    expect(Object.fromEntries(found)).toEqual(allowedSleeps);
  });

  it('has at least the limit of `eventually`', () => {
    expect(sources.filter(({ text }) => shortLimitsIn(text) > 0).map(({ path }) => path)).toEqual([]);
  });
});

describe('what these rules look for', () => {
  it.each([
    'await sleep(500);',
    'await new Promise((resolve) => setTimeout(resolve, 500));',
    'new Promise<void>((done) =>\n  setTimeout(done, 500))',
  ])('a sleep: %s', (text) => expect(sleepsIn(text)).toBe(1));

  it.each(['kit.sleep(5);', 'setTimeout(() => socket.end(), 5);'])('no sleep: %s', (text) =>
    expect(sleepsIn(text)).toBe(0),
  );

  it.each([
    "import { bestRatio } from '../support/loop-hold.ts';",
    'const before = process.cpuUsage();',
    'const tookMs = performance.now() - beganMs;',
    'expect(Date.now() - startedAt).toBeLessThan(5);',
  ])('a look at the clock: %s', (text) => expect(text).toMatch(looksAtTheClock));

  it.each(["process.env['X'] = 'y';", "delete process.env['X'];", 'globalThis.fetch = other;'])(
    'a change of the process: %s',
    (text) => expect(text).toMatch(changesItsProcess),
  );

  it('a short limit', () => expect(shortLimitsIn('{ withinMs: 30_000 }')).toBe(1));
});
