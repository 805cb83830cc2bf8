import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningTemporal, startTemporal } from '../../../embedded/temporal.ts';
import { isRunning } from '../../../runtime/process/process-identity.ts';
import { temporalProgram } from '../../support/temporal-program.ts';

let directory: string;
const started: RunningTemporal[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'temporal-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((temporal) => temporal.stop()));
  rmSync(directory, { recursive: true });
  occupied?.close();
});

let occupied: Server | undefined;
async function takePort(): Promise<number> {
  occupied = createServer().listen(0, '127.0.0.1');
  await once(occupied, 'listening');
  return (occupied.address() as AddressInfo).port;
}

async function start(uiPort: number | null = 0): Promise<RunningTemporal> {
  const temporal = await startTemporal({ program: temporalProgram(), directory, uiPort });
  started.push(temporal);
  return temporal;
}

describe('the embedded Temporal server', () => {
  it('has its UI, is adopted while it runs, and is gone after a stop', async () => {
    const first = await start();
    expect((await fetch(first.uiUrl ?? '')).status).toBe(200);
    expect(await start()).toMatchObject({ adopted: true, process: first.process, address: first.address });
    await first.stop();
    expect(isRunning(first.process)).toBe(false);
    expect(await start(null)).toMatchObject({ adopted: false, uiUrl: null });
  });

  it('starts on the data of a server that was killed', async () => {
    const first = await start(null);
    process.kill(first.process.pid, 'SIGKILL');
    expect(await start(null)).toMatchObject({ adopted: false });
  });

  it('names the variable to change when the port of the UI is taken', async () => {
    const taken = await takePort();
    await expect(start(taken)).rejects.toThrow(/TEMPORAL_UI_PORT/);
  });

  it('that cannot be run says which program was tried', async () => {
    await expect(startTemporal({ program: '/nowhere/temporal', directory, uiPort: null })).rejects.toThrow(
      '/nowhere/temporal',
    );
  });
});
