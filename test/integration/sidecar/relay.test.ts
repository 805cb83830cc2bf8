import { execFileSync, spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bundlePrograms, type Programs, runnerCommand } from './programs.ts';
import { TestSession, until } from './session.ts';
import { call, closeWires, initialize, openWire } from './wire.ts';

let programs: Programs;
let session: TestSession;

/** Crashes on its first request, and counts its starts. */
const crasher = "process.stderr.write('started\\n'); process.stdin.once('data', () => process.exit(3))";

beforeAll(async () => {
  programs = await bundlePrograms();
  session = new TestSession(programs, {
    everything: { command: runnerCommand('mcp-server-everything'), args: [] },
    crasher: { command: process.execPath, args: ['-e', crasher] },
    stubborn: { command: 'sh', args: ['-c', 'trap "" TERM; sleep 1000 & cat; wait'] },
  });
  await session.start();
});
afterEach(closeWires);
afterAll(() => session.stop());

describe('the relay', () => {
  it('can be replaced by socat on the side of the agent', async () => {
    const client = new Client({ name: 'socat', version: '1' });
    const args = ['-', `UNIX-CONNECT:${session.socketOf('everything')}`];
    await client.connect(new StdioClientTransport({ command: 'socat', args }));
    expect((await client.callTool({ name: 'echo', arguments: { message: 'hi' } })).isError).toBeFalsy();
    await client.close();
  });

  it('forwards answers that arrive after the agent closed its side, and then ends', () => {
    const input = [initialize, call(1, 'echo', { message: 'last words' })].map(
      (line) => `${JSON.stringify(line)}\n`,
    );
    const [node = '', ...args] = [
      process.execPath,
      programs.relay,
      '-',
      `UNIX-CONNECT:${session.socketOf('everything')}`,
    ];
    const output = execFileSync(node, args, { input: input.join(''), timeout: 60_000 }).toString();
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([0, 1]);
  });

  it('forwards a message of nearly a megabyte in both directions', async () => {
    const client = await session.connect('everything');
    const message = 'ä'.repeat(500_000);
    const result = await client.callTool({ name: 'echo', arguments: { message } });
    expect(result.content).toEqual([{ type: 'text', text: `Echo: ${message}` }]);
    await client.close();
  });

  it('starts a fresh server process for each connection, and none before it is needed', async () => {
    const first = await session.connect('everything');
    const firstPid = await session.serverProcess('everything');
    await first.close();
    await until(() => !isAlive(firstPid), 'the first process to end');
    expect(await session.serverProcess('everything')).toBe(0);
    const second = await session.connect('everything');
    expect(await session.serverProcess('everything')).not.toBe(firstPid);
    await second.close();
  });

  it('kills a server that ignores signals, and its child processes', async () => {
    const wire = await openWire(session.socketOf('stubborn'));
    wire.send(initialize);
    await until(() => wire.received.length > 0, 'something to come back');
    const pid = await session.serverProcess('stubborn');
    wire.socket.destroy();
    await until(() => !isAlive(pid) && !isAlive(-pid), 'the whole group to end');
  });

  it('backs off for a server that keeps crashing', async () => {
    const waits: number[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const startedAt = Date.now();
      const wire = await openWire(session.socketOf('crasher'));
      wire.send(initialize);
      expect(JSON.stringify(await wire.answerTo(0))).toContain('server_unavailable');
      waits.push(Date.now() - startedAt);
      wire.socket.destroy();
    }
    expect(waits.at(-1)).toBeGreaterThan(200);
  });

  it('reports the expected arguments when they are wrong, and the error when nothing listens', async () => {
    expect(await outputOf(programs.relay, '-')).toMatchObject({
      code: 1,
      stderr: 'relay: expected: relay - UNIX-CONNECT:<socket>\n',
    });
    expect((await outputOf(programs.relay, '--help')).stdout).toContain('Usage:');
    const path = `/tmp/${'x'.repeat(120)}`;
    expect((await outputOf(programs.relay, '-', `UNIX-CONNECT:${path}`)).stderr).toContain(
      'is longer than 107 bytes',
    );
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function outputOf(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
