import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { manifest } from '../../../contract/catalog.ts';
import { manifestPatterns, manifestProblems } from '../../../contract/manifest-validation.ts';
import { patternBoundProblem, patternLimits, patternSize } from '../../../contract/patterns.ts';
import { runPattern } from '../../../contract/run-pattern.mjs';
import { unclosedClass } from '../../support/costly-patterns.ts';
import { checkProperty, runsInMode, samplesOf } from '../../support/property.ts';

const patternsModule = new URL('../../../contract/patterns.ts', import.meta.url).href;

/** Compiled size, or null for an invalid expression. */
function compiledSize(regex: string): number | null {
  try {
    return RE2JS.compile(regex).programSize();
  } catch {
    return null;
  }
}

const atom = fc.constantFrom(
  'a',
  '.',
  '[a-z]',
  '[^]x]',
  '[[:alpha:]\\]]',
  '\\d',
  '\\pL',
  '\\p{Greek}',
  '\\Qa{9}\\E',
  '^',
);
const repeat = fc.constantFrom('', '*', '+?', '?', '{3}', '{2,}', '{0,9}', '{2,7}?');
const { expression } = fc.letrec<{ expression: string; item: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?P<n>'), tie('expression'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
  expression: fc
    .array(
      fc.tuple(tie('item'), repeat).map(([item, often]) => item + often),
      { minLength: 1, maxLength: 4 },
    )
    .chain((items) => fc.constantFrom(items.join(''), items.join('|'))),
}));

describe('the size of an expression', () => {
  it('is never below its compiled size', () => {
    let compiled = 0;
    const runs = checkProperty(
      fc.property(expression, (regex) => {
        const size = compiledSize(regex);
        compiled += size === null ? 0 : 1;
        expect(patternSize(regex)).toBeGreaterThanOrEqual(size ?? 0);
      }),
      { runs: 2000 },
    );
    expect(compiled).toBeGreaterThan(runs / 4);
  });

  it('accepts ordinary expressions', () => {
    for (const regex of [
      '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,63}',
      'https://[a-z0-9.-]{1,253}(?::[0-9]{1,5})?(?:/[^\\s]{0,500})?',
      '(?:[0-9]{1,3}\\.){3}[0-9]{1,3}',
      'arn:aws:s3:::[a-z0-9.-]{3,63}',
      '.{1,1000}',
    ]) {
      expect(patternBoundProblem(regex)).toBeNull();
    }
  });

  it('refuses a few characters that compile to hundreds of thousands of instructions, without compiling them', () => {
    const regex = `(?:${'x*'.repeat(100)}){1000}`;
    expect(patternBoundProblem(regex)).toMatch('too large');
    expect(patternBoundProblem('a'.repeat(patternLimits.characters + 1))).toMatch('at most');
  });

  it('is computed quickly for any text of the grammar, complete or not', () => {
    const pieces = [
      '[',
      ']',
      '^',
      '\\',
      '\\p',
      '{',
      '}',
      '(',
      ')',
      '(?',
      '[:',
      ':]',
      'a',
      '*',
      '\\p{a}',
      '\\Q',
      '\\E',
    ];
    const repeated = fc
      .tuple(
        fc.constantFrom('', '[', '[^', '('),
        fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '\\]', '\\', '{'),
      )
      .map(([start, unit, end]) => {
        const room = patternLimits.characters - start.length - end.length;
        return start + unit.join('').repeat(Math.floor(room / unit.join('').length)) + end;
      });
    const regexes = [unclosedClass, ...samplesOf(repeated, runsInMode(3000))];
    const program = `
      import { readFileSync } from 'node:fs';
      import { patternBoundProblem } from ${JSON.stringify(patternsModule)};
      for (const regex of JSON.parse(readFileSync(0, 'utf8'))) patternBoundProblem(regex);`;
    // In a separate process: backtracking would block this one.
    const { status, signal, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program],
      { input: JSON.stringify(regexes), timeout: 60_000, encoding: 'utf8' },
    );
    expect({ status, signal, stderr }).toMatchObject({ status: 0, signal: null });
  });
});

describe('a manifest', () => {
  const withFields = (regexes: string[]) =>
    manifest.parse({
      env: Object.fromEntries(
        regexes.map((regex, at) => [`V${at}`, { kind: 'value', label: 'v', regex }] as const),
      ),
    });
  const problems = (regexes: string[]) =>
    manifestProblems(withFields(regexes), runPattern).map(({ path, code }) => `${path} ${code}`);

  it('is limited in its variables, in each expression and in all of them together; none of a larger one is run', () => {
    expect(problems(Array(patternLimits.variables).fill('[a-z]{1,5}'))).toEqual([]);
    expect(problems(Array(patternLimits.variables + 1).fill('a'))).toEqual(['manifest.env too_many']);
    expect(problems(['a{1,1000}', `(?:${'x*'.repeat(50)}){50}`])).toEqual([
      'manifest.env.V1.regex pattern_too_costly',
    ]);
    const together = Array(3).fill('.{1,1000}');
    expect(problems(together)).toEqual(['manifest.env too_many']);
    expect(manifestPatterns(withFields(together))).toEqual([]);
  });

  it('is limited in the tools that it gates', () => {
    const tools = Array.from({ length: patternLimits.toolScopes + 1 }, (_, at) => [`t${at}`, 'a.b'] as const);
    const wide = manifest.parse({ tool_scopes: Object.fromEntries(tools) });
    expect(manifestProblems(wide, runPattern)).toMatchObject([
      { path: 'manifest.tool_scopes', code: 'too_many' },
    ]);
  });
});
