import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handedOver } from '../../../../runtime/process/handed-over.ts';

let directory: string;
let server: Server;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'handed-over-'));
  server = createServer().listen(join(directory, 'result.sock'));
  await once(server, 'listening');
});

afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

/** Resolves to what the process sends; rejects with its exit code when it ends without. */
const taken = (process: ChildProcess, signal = new AbortController().signal) =>
  handedOver(server, {
    process,
    signal,
    receive: text,
    endedWithout: () => Promise.reject(new Error(`it ended with ${process.exitCode}`)),
  });

const run = (program: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, ['-e', program, ...args], { stdio: 'ignore' });

describe('what a one-shot sandbox hands over', () => {
  it('is what it sends', async () => {
    const sends = `require('node:net').connect(process.argv[1]).end('a tree')`;
    await expect(taken(run(sends, join(directory, 'result.sock')))).resolves.toBe('a tree');
  });

  it('is nothing of one that ends without', async () => {
    await expect(taken(run('process.exit(3)'))).rejects.toThrow('it ended with 3');
  });

  it('is nothing of one that ended before anybody looked', async () => {
    const ended = run('process.exit(4)');
    await once(ended, 'exit');
    await expect(taken(ended)).rejects.toThrow('it ended with 4');
  });

  it('is not waited for once the signal is aborted', async () => {
    const stays = run('setInterval(() => undefined, 1000)');
    try {
      await expect(taken(stays, AbortSignal.timeout(10))).rejects.toThrow('timeout');
    } finally {
      stays.kill('SIGKILL');
      await once(stays, 'exit');
    }
  });
});
