import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningTemporal, startTemporal } from '../../../bin/start/temporal.ts';
import { isRunning } from '../../../runtime/process/process-identity.ts';
import { temporalProgram } from '../../support/temporal-program.ts';

let directory: string;
const started: RunningTemporal[] = [];
const holders: Server[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'temporal-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((temporal) => temporal.stop()));
  for (const holder of holders.splice(0)) {
    holder.close();
  }
  rmSync(directory, { recursive: true });
});

async function start({ hasUi }: { hasUi: boolean }): Promise<RunningTemporal> {
  const temporal = await startTemporal({ program: temporalProgram(), directory, hasUi });
  started.push(temporal);
  return temporal;
}

describe('the embedded Temporal server', () => {
  it('has its UI, is adopted while it runs, and is stopped with it', async () => {
    const first = await start({ hasUi: true });
    expect((await fetch(`http://${first.ui?.host}:${first.ui?.port}`)).status).toBe(200);
    const { process: running, address, ui } = first;
    expect(await start({ hasUi: true })).toMatchObject({ adopted: true, process: running, address, ui });
    await first.stop();
    expect(isRunning(first.process)).toBe(false);
    expect(await start({ hasUi: false })).toMatchObject({ adopted: false, ui: null });
  });

  it('starts on the data of a server that was killed', async () => {
    const first = await start({ hasUi: false });
    process.kill(first.process.pid, 'SIGKILL');
    expect(await start({ hasUi: false })).toMatchObject({ adopted: false });
  });

  /** Runs the real server, for the first `failures` times on a port that the test holds. */
  async function programWithTakenPort({ failures }: { failures: number }): Promise<string> {
    const holder = createServer().listen({ host: '127.0.0.1', port: 0 });
    await once(holder, 'listening');
    holders.push(holder);
    const { port } = holder.address() as AddressInfo;
    const program = join(directory, 'temporal');
    const script = [
      '#!/bin/sh',
      'echo start >> "$HOME/starts"',
      `if [ "$(wc -l < "$HOME/starts")" -le ${failures} ]; then`,
      `  exec '${temporalProgram()}' "$@" --port ${port}`,
      'fi',
      `exec '${temporalProgram()}' "$@"`,
    ];
    writeFileSync(program, `${script.join('\n')}\n`, { mode: 0o700 });
    return program;
  }
  const starts = () => readFileSync(join(directory, 'starts'), 'utf8').trim().split('\n').length;

  it('is started again when another program was quicker to one of its ports', async () => {
    const temporal = await startTemporal({
      program: await programWithTakenPort({ failures: 1 }),
      directory,
      hasUi: false,
    });
    started.push(temporal);
    expect(temporal.adopted).toBe(false);
    expect(starts()).toBe(2);
  });

  it('says why it does not start, after three attempts', async () => {
    const program = await programWithTakenPort({ failures: 9 });
    await expect(startTemporal({ program, directory, hasUi: false })).rejects.toThrow(
      /did not start \(.*\): .*address already in use/,
    );
    expect(starts()).toBe(3);
  });

  it('names the program that could not be run', async () => {
    await expect(startTemporal({ program: '/nowhere/temporal', directory, hasUi: false })).rejects.toThrow(
      '/nowhere/temporal',
    );
  });
});
