/**
 * No regular expression of ours backtracks exponentially: such a text would block a
 * process for everybody. Quadratic growth is tolerated, since texts are bounded.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { check } from 'recheck';
import ts from 'typescript';
import * as z from 'zod';
import { Proven, textsOf } from './proven.ts';

const folders = ['activities', 'agents', 'api', 'bin', 'commands', 'config', 'contract', 'lib']
  .concat(['relay', 'runtime', 'sidecar', 'store', 'web/src', 'workflows'])
  .map((name) => resolve(name));

const judges = ['test/architecture/regular-expressions.test.ts', 'node_modules/recheck/package.json'];
const proven = new Proven('regular-expressions', textsOf(judges));

function sourcesIn(folder: string): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs)$/.test(name))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }));
}

function literalsOf(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext);
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
  const sources = folders.flatMap(sourcesIn);
  expect(sources.length).toBeGreaterThan(500);
  const endless = [];
  for (const { file, text } of sources) {
    if (proven.evidence([text], z.literal(true))) {
      continue;
    }
    const found = [];
    for (const literal of literalsOf(file, text)) {
      if (!proven.evidence([literal], z.literal(true)) && (await isExponential(literal))) {
        found.push({ file, literal });
      } else {
        proven.keep([literal], true);
      }
    }
    if (found.length === 0) {
      proven.keep([text], true);
    }
    endless.push(...found);
  }
  proven.save();
  expect(endless).toEqual([]);
}, 300_000);

it.each([
  String.raw`/^\[\^?\]?(?:\[:\^?\w+:\]|\\(?:[pP]\{[^}]*\}|.)|[^\]\\])*\]/s`,
  String.raw`/^[a-z0-9][\w.-]*(\[[\w., -]+\])?(\s*[=<>!~]=?\s*[\w.*+!]+\s*,?)*$/i`,
])('one that does is reported: %s', async (literal) => {
  expect(await isExponential(literal)).toBe(true);
});
