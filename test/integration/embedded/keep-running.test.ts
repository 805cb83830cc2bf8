/** The embedded servers are restarted on the same ports when they are killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeptServer, keepRunning } from '../../../bin/start/keep-running.ts';
import { startPostgres } from '../../../bin/start/postgres.ts';
import { startTemporal } from '../../../bin/start/temporal.ts';
import { isRunning } from '../../../runtime/process/process-identity.ts';
import { eventually } from '../../support/eventually.ts';
import { temporalProgram } from '../../support/temporal-program.ts';

/** A start may take a server a minute on a busy machine. */
let directory: string;
let stop = async () => {};
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kept-'));
});
afterEach(async () => {
  await stop();
  rmSync(directory, { recursive: true });
});

const servers = {
  Postgres: (preferredPort?: number) =>
    startPostgres({
      directory,
      password: 'secret',
      ...(preferredPort === undefined ? {} : { preferredPort }),
    }),
  Temporal: (preferredPort?: number) =>
    startTemporal({
      directory,
      program: temporalProgram(),
      hasUi: false,
      ...(preferredPort === undefined ? {} : { preferredPort }),
    }),
};

async function keep(name: keyof typeof servers, beforeRestart = async (_port: number) => {}) {
  const said: string[] = [];
  const started: KeptServer[] = [await servers[name]()];
  const [first] = started as [KeptServer];
  const restart = async () => {
    await beforeRestart(first.port);
    const server: KeptServer = await servers[name](first.port);
    started.push(server);
    return server;
  };
  stop = keepRunning(first, { name, restart, progress: (line) => said.push(line) });
  return { first, started, said };
}

describe.each(Object.keys(servers) as (keyof typeof servers)[])('%s, once started', (name) => {
  it('restarts on its port after kill -9, and ends when stopped', async () => {
    const { first, started, said } = await keep(name);
    process.kill(first.process.pid, 'SIGKILL');
    await eventually(() => expect(said).toContain(`${name} runs again`));
    const second = started.at(-1);
    expect(second?.port).toBe(first.port);
    expect(second && isRunning(second.process)).toBe(true);
    await stop();
    expect(second && isRunning(second.process)).toBe(false);
    expect(said.filter((line) => line.includes('ended'))).toHaveLength(1);
  });

  it('waits for its port while another program uses it', async () => {
    const other = createServer();
    const takePort = async (port: number) => {
      if (!other.listening) {
        await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
      }
    };
    let isTaken = true;
    const { first, said } = await keep(name, (port) => (isTaken ? takePort(port) : Promise.resolve()));
    process.kill(first.process.pid, 'SIGKILL');
    await eventually(() => expect(said.join()).toContain(`another program has taken its port ${first.port}`));
    isTaken = false;
    await new Promise((resolve) => other.close(resolve));
    await eventually(() => expect(said).toContain(`${name} runs again`));
  });
});
