import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import * as z from 'zod';
import { Proven, textsOf } from './proven.ts';
import { check, functionLines, reservedNames, type SourceText } from './rules.ts';

const root = process.cwd();
const notSources = new Set(['node_modules', 'dist', 'runner', '.git', '.cache', '.data', 'coverage']);

function sourceFiles(directory: string): SourceText[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !notSources.has(name))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        return sourceFiles(path);
      }
      const isSource = /(?<!\.d)\.tsx?$/.test(entry.name);
      return isSource
        ? [{ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }]
        : [];
    });
}

const rulesOf = (path: string, text: string) => check({ path, text }).map(({ rule }) => rule);

/** What judges a file: the rules, the names that they look for, and the parser. */
const judges = textsOf([
  ...readdirSync('test/architecture').map((name) => `test/architecture/${name}`),
  'node_modules/typescript/package.json',
]).concat(reservedNames);

describe('the code base', () => {
  const sources = sourceFiles(root);
  const isProduct = ({ path }: SourceText) => !path.startsWith('test/');
  const lengths = new Map<string, number[]>();

  it('keeps every rule of its architecture', () => {
    const proven = new Proven<number[]>('architecture', judges);
    const violations = [];
    for (const source of sources) {
      const content = [source.path, source.text];
      const known = proven.evidence(content, z.array(z.int()));
      const lines = known ?? (isProduct(source) ? linesOfFunctions(source) : []);
      const found = known ? [] : check(source);
      if (found.length === 0) {
        proven.keep(content, lines);
      }
      lengths.set(source.path, lines);
      violations.push(...found.map(({ path, line, rule }) => `${path}:${line}: ${rule}`));
    }
    proven.save();
    expect(violations).toEqual([]);
  });

  it('has files and functions that are usually short', () => {
    const product = sources.filter(isProduct);
    const files = product.map(({ text }) => text.split('\n').length);
    const functions = product.flatMap((source) => lengths.get(source.path) ?? linesOfFunctions(source));
    process.stdout.write(
      `median file ${median(files)} lines of ${files.length}, median function ${median(functions)} lines of ${functions.length}\n`,
    );
    expect(median(files)).toBeLessThanOrEqual(80);
    expect(median(functions)).toBeLessThanOrEqual(15);
  });
});

describe('a planted violation is found:', () => {
  it.each([
    [
      'a sidecar that reaches the database',
      'sidecar/gate.ts',
      "import { x } from '../store/grants/read.ts';",
    ],
    ['a policy that reads', 'api/policies/x.ts', "import { x } from '../../store/grants/read.ts';"],
    ['an upward import', 'store/grants/read.ts', "import { x } from '../../api/errors.ts';"],
    ['an upward re-export', 'contract/grant.ts', "export { x } from '../store/x.ts';"],
    ['a dynamic import', 'runtime/x.ts', "const x = await import('../api/app.ts');"],
    ['an activity called as a function', 'workflows/x.ts', "import { x } from '../activities/x.ts';"],
    [
      'a reader of images that looks at the environment',
      'lib/oci/x.ts',
      "import { x } from '../../config/api.ts';",
    ],
    ['an activity inside a runtime', 'activities/x.ts', "import { x } from '../runtime/process/host/x.ts';"],
    ['SQL outside the store', 'api/agents/x.ts', "import knex from 'knex';"],
    ['a contract with dependencies', 'contract/x.ts', "import pino from 'pino';"],
    ['the environment', 'api/x.ts', 'const x = process.env.PORT;'],
    ['a statement in a command', 'commands/grants/x.ts', "await trx('grants').where({ id });"],
    ['a typed one', 'commands/grants/x.ts', "await db<Row>('grants');"],
    ['raw SQL in a command', 'commands/grants/x.ts', "await trx.raw('select 1');"],
    ['the package of SQL in a command', 'commands/grants/x.ts', "import type { Knex } from 'knex';"],
    ['a statement that knows a command', 'store/grants/x.ts', "import { x } from '../../commands/x.ts';"],
    ['a transaction in a route', 'api/agents/x.ts', 'await inTransaction(db, async (trx) => run(trx));'],
    ['a second writer of grants', 'bin/x.ts', "import { x } from '../store/grants/insert.ts';"],
    [
      'a grant written without an approval',
      'api/agents/x.ts',
      "import { x } from '../../commands/grants/write.ts';",
    ],
    [
      'an approval that nobody verified',
      'activities/grants/x.ts',
      "import { x } from '../../commands/decisions/approve.ts';",
    ],
    ['a statement in a route', 'api/agents/x.ts', "await dependencies.db('agents').first('id');"],
    ['a statement that inserts a grant', 'store/sessions/x.ts', "await trx('grants').insert(row);"],
    [
      'SQL that revives a grant',
      'store/sessions/x.ts',
      "await trx.raw('update grants set revoked_at = null');",
    ],
    ['any', 'store/x.ts', 'export const x: any = 1;'],
    ['a cast around the compiler', 'store/x.ts', 'export const x = y as unknown as string;'],
    ['the web UI reaching past the API', 'web/src/x.ts', "import { x } from '../../store/x.ts';"],
    ['a built program in the web UI', 'web/src/x.ts', "import { x } from '../../dist/api.js';"],
    ['a package that no browser runs', 'web/src/x.tsx', "import { readFileSync } from 'node:fs';"],
    ['markup made from text', 'web/src/x.tsx', 'const x = <p dangerouslySetInnerHTML={{ __html: y }} />;'],
    ['React outside of the web UI', 'api/x.ts', "import { useState } from 'react';"],
    ['a relay that knows more than bytes', 'relay/node/x.ts', "import { x } from '../../sidecar/gate/x.ts';"],
    ['the API in what npm start brings along', 'bin/start/x.ts', "import { x } from '../../api/app.ts';"],
    ['the environment in a part of a program', 'bin/start/x.ts', 'const x = process.env.PORT;'],
    ['raw SQL in a route', 'api/agents/x.ts', "await db.raw('select 1');"],
    ['raw SQL in an entry point', 'bin/x.ts', 'await pool.raw(`show server_version`);'],
    ['SQL on a connection', 'bin/start/x.ts', "await client.query('create database platform');"],
    ['a named statement', 'activities/x.ts', "await pool.query({ name: 'x', text: `select ${y}` });"],
    ['a file named utils', 'store/utils.ts', ''],
    ['a folder named helpers', 'api/helpers/x.ts', ''],
    ['a name that is not kebab-case', 'api/someThing.ts', ''],
    ['a migration without a time', 'migrations/create_x.ts', ''],
    ['a folder without a place', 'stuff/x.ts', ''],
    ['another name for what is passed in', 'sidecar/x.ts', 'export interface LinkParts { server: string }'],
    ['a workflow by its name', 'bin/x.ts', "client.start('sessionWorkflow');"],
    ['a signal by its name', 'api/x.ts', "handle.signal('inputAvailable');"],
    ['an update by its name', 'api/x.ts', "handle.executeUpdate('decide');"],
    ['a workflow’s id by hand', 'activities/x.ts', 'const id = `session/${sessionId}`;'],
    ['a search attribute by its name', 'bin/x.ts', "const x = ['PlatformStatus'];"],
    [
      'a workflow’s code outside of the worker',
      'api/x.ts',
      "import { x } from '../workflows/session-workflow.ts';",
    ],
    ['a refusal in a handler', 'api/agents/x.ts', "throw forbidden('Only admins do that');"],
    ['gated tools by hand', 'store/x.ts', "db.raw(`select manifest -> 'tool_scopes' from mcp_servers`);"],
    ['rows of a claimed type', 'store/x.ts', "const rows = await db<{ id: string }>('users');"],
    ['rows cast to a type', 'store/x.ts', "const rows = (await db('users as u')) as { id: string }[];"],
    ['active grants by hand', 'store/x.ts', "db('grants').whereNull('consumed_at');"],
    [
      'a call recorded by hand',
      'sidecar/server-link/x.ts',
      "this.#dependencies.audit.finished(callId, 'ok');",
    ],
    ['a change that names nothing stale', 'web/src/pages/x.tsx', 'const x = useMutation({ mutationFn });'],
    ['a page that refetches by hand', 'web/src/pages/x.tsx', 'queries.invalidateQueries({ queryKey });'],
    [
      'a ladder of loading and failure',
      'web/src/pages/x.tsx',
      'const x = <FailedState error={y} retry={z} what="It" />;',
    ],
    [
      'a driver that looks up a server’s secrets itself',
      'runtime/kubernetes/x.ts',
      'export const x = (secrets) => secrets.serverEnv;',
    ],
    [
      'a driver that tells an agent where the sidecar is',
      'runtime/process/x.ts',
      "export const env = { PLATFORM_SIDECAR_SOCKET: '/x.sock' };",
    ],
    [
      'a back-off by hand',
      'store/x.ts',
      'for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 2000)) {}',
    ],
    ['a limit by hand', 'sidecar/x.ts', "setTimeout(() => reject(new Error('it took too long')), 1000);"],
    ['an abort after a time', 'activities/x.ts', 'setTimeout(() => stopped.abort(), 1000);'],
    ['a race against a timer', 'runtime/x.ts', 'await Promise.race([work, sleep(1000)]);'],
    [
      'a limit that may be garbage-collected',
      'runtime/x.ts',
      'AbortSignal.any([signal, AbortSignal.timeout(1000)]);',
    ],
    ['a package in the code for timing', 'lib/timing/x.ts', "import pRetry from 'p-retry';"],
    ['a package in the code for limits', 'lib/limits/x.ts', "import pLimit from 'p-limit';"],
    ['another part in the code for limits', 'lib/limits/x.ts', "import { x } from '../timing/retry.ts';"],
    ['an activity that does so by text', 'activities/x.ts', "export const x = (all) => all['agentEnv'];"],
    [
      'a property with a number of runs of its own',
      'test/unit/x.test.ts',
      'fc.assert(property, { numRuns: 9 });',
    ],
    ['a long file', 'api/x.ts', '\n'.repeat(400)],
    ['a long function', 'api/x.ts', `export function x() {${'\n'.repeat(80)}}`],
    ['a long method', 'api/x.ts', `export class X { y() {${'\n'.repeat(80)}} }`],
  ])('%s', (_what, path, text) => {
    expect(rulesOf(path, text)).toHaveLength(1);
  });

  it('allowed code is accepted', () => {
    expect(rulesOf('workflows/x.ts', "import type { Activities } from '../activities/index.ts';")).toEqual(
      [],
    );
    expect(rulesOf('bin/api.ts', "import { x } from '../store/x.ts';\nconst y = process.env;")).toEqual([]);
    expect(rulesOf('store/x.ts', "import knex from 'knex';\nimport { z } from '../contract/y.ts';")).toEqual(
      [],
    );
    expect(rulesOf('api/x.ts', `export function x() {${'\n'.repeat(79)}}`)).toEqual([]);
  });
});

function linesOfFunctions({ path, text }: SourceText): number[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    const count = functionLines(node, tree);
    // Arrow functions are mostly one line inside another function and would lower the median.
    if (count !== null && !ts.isArrowFunction(node)) {
      lines.push(count);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return lines;
}

function median(values: number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

it.each(['package-lock.json', 'deploy/runner/package-lock.json'])(
  '%s lists every optional package, without which npm ci refuses it',
  (file) => {
    const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    const missing = Object.entries<{ optionalDependencies?: object }>(packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => !(`node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  },
);
