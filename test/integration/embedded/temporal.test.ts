import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningTemporal, startTemporal } from '../../../bin/start/temporal.ts';
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

  it('names the program that could not be run', async () => {
    await expect(startTemporal({ program: '/nowhere/temporal', directory, hasUi: false })).rejects.toThrow(
      '/nowhere/temporal',
    );
  });
});
