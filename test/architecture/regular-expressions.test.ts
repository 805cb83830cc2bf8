/**
 * No regular expression of ours backtracks exponentially: such a text would block a
 * process for everybody. Quadratic growth is tolerated, since texts are bounded.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { check } from 'recheck';
import ts from 'typescript';

const folders = ['activities', 'agents', 'api', 'bin', 'commands', 'config', 'contract', 'lib']
  .concat(['relay', 'runtime', 'sidecar', 'store', 'workflows'])
  .map((name) => resolve(name));

function* expressionsIn(folder: string): Generator<{ file: string; literal: string }> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (/\.(ts|mjs)$/.test(name)) {
      const file = join(folder, name);
      for (const literal of literalsOf(
        ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext),
      )) {
        yield { file, literal };
      }
    }
  }
}

function literalsOf(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      found.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

async function isExponential(literal: string): Promise<boolean> {
  const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(literal) ?? [];
  const found = await check(source, flags, { timeout: 20_000 });
  return found.status === 'vulnerable' && found.complexity.type === 'exponential';
}

it('no regular expression has catastrophic backtracking', async () => {
  const expressions = [
    ...new Map(
      folders.flatMap((folder) => [...expressionsIn(folder)]).map((found) => [found.literal, found]),
    ).values(),
  ];
  expect(expressions.length).toBeGreaterThan(50);
  const endless = [];
  for (const { file, literal } of expressions) {
    if (await isExponential(literal)) {
      endless.push({ file, literal });
    }
  }
  expect(endless).toEqual([]);
}, 300_000);

it.each([
  String.raw`/^\[\^?\]?(?:\[:\^?\w+:\]|\\(?:[pP]\{[^}]*\}|.)|[^\]\\])*\]/s`,
  String.raw`/^[a-z0-9][\w.-]*(\[[\w., -]+\])?(\s*[=<>!~]=?\s*[\w.*+!]+\s*,?)*$/i`,
])('one that does is reported: %s', async (literal) => {
  expect(await isExponential(literal)).toBe(true);
});
