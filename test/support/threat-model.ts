/** The rows of the threat model: rules (R), attacks (A) and what is not protected (N). */
import { readdirSync } from 'node:fs';
import { testFiles } from '../tiers.mjs';

export interface ThreatModelEntry {
  /** More than one where a row is that of several. */
  readonly ids: readonly string[];
  /** The end of each test's path, as the last cell names it; none for what is not protected. */
  readonly tests: readonly string[];
}

export function threatModelEntries(page: string): ThreatModelEntry[] {
  return page.split('\n').flatMap((line) => {
    const [, ids = ''] = /^(?:\| |- \*\*)([RAN]\d+(?:, [RAN]\d+)*)(?: \||\*\*)/.exec(line) ?? [];
    const tests = /\| ([^|]*) \|$/.exec(line)?.[1] ?? '';
    const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    return ids === '' ? [] : [{ ids: ids.split(', '), tests: named }];
  });
}

/**
 * Files that a name ends the path of: exactly one where the name is right. Contracts count, which the test
 * files of each runtime run.
 */
export function testsNamed(name: string): string[] {
  contracts ??= readdirSync('test/integration', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('-contract.ts'))
    .map((path) => `test/integration/${path}`);
  return [...testFiles(), ...contracts].filter((path) =>
    [`/${name}.test.ts`, `/${name}.ts`].some((end) => path.endsWith(end)),
  );
}

/** Reading the folders takes a while, and there are many names. */
let contracts: string[] | undefined;
