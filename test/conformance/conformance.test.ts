/**
 * The official conformance scenarios against a server directly and through the sidecar, with all
 * checks of the gate on: each check must have the same outcome. What the gate refuses on purpose
 * is listed below, by name.
 */
import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundlePrograms } from '../integration/sidecar/programs.ts';
import { TestSession, until } from '../integration/sidecar/session.ts';
import { type HttpFront, startHttpFront } from './http-front.ts';
import { countPasses, type Revision, runScenarios } from './official-scenarios.ts';

const server = {
  command: process.execPath,
  args: [fileURLToPath(new URL('everything-server.mjs', import.meta.url))],
};
/** An entry serves one connection at a time, and the front keeps up to four open. */
const entries = ['first', 'second', 'third', 'fourth'];

let session: TestSession;
let direct: HttpFront;
let gated: HttpFront;

beforeAll(async () => {
  const entry = {
    ...server,
    toolScopes: { test_simple_text: 'text.read' },
    clientFeatures: ['elicitation' as const, 'roots' as const, 'sampling' as const],
  };
  session = new TestSession(await bundlePrograms(), Object.fromEntries(entries.map((name) => [name, entry])));
  await session.start();
  session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
  direct = await startHttpFront(startServer);
  gated = await startHttpFront(freeSocket);
});
afterAll(async () => {
  await direct.close();
  await gated.close();
  await session.stop();
});

function startServer(): Promise<Duplex> {
  const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = Duplex.from({ writable: child.stdin, readable: child.stdout });
  lines.on('error', () => undefined).once('close', () => child.kill());
  return Promise.resolve(lines);
}

const inUse = new Set<string>();
async function freeSocket(): Promise<Duplex> {
  const free = () => entries.find((name) => !inUse.has(name));
  await until(() => free() !== undefined, 'an entry that no connection uses');
  const name = free() ?? '';
  inUse.add(name);
  return createConnection(session.socketOf(name)).once('close', () => inUse.delete(name));
}

describe.each<[Revision, number]>([
  ['2025-11-25', 70],
  ['2026-07-28', 130],
])('the official server scenarios of %s', (revision, atLeast) => {
  it('have the same results through the sidecar as directly against the server', async () => {
    const before = session.platform.calls.length;
    const [expected, actual] = await Promise.all([
      runScenarios(direct.url, revision),
      runScenarios(gated.url, revision),
    ]);
    const passes = [countPasses(expected), countPasses(actual)];
    process.stdout.write(
      `conformance ${revision}: ${passes[0]} passes directly, ${passes[1]} through the sidecar\n`,
    );
    expect(passes[0]).toBeGreaterThanOrEqual(atLeast);
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
    expect(session.platform.calls.length).toBeGreaterThan(before);
  }, 600_000);
});
