import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimDataDirectory } from '../../../bin/start/data-directory.ts';
import { identify } from '../../../runtime/process/process-identity.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'data-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('a data directory', () => {
  it('has one owner at a time, and is free again when released', () => {
    const release = claimDataDirectory(directory);
    expect(() => claimDataDirectory(directory)).toThrow(`process ${process.pid}`);
    release();
    claimDataDirectory(directory)();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('does not stay locked by a process that was killed', async () => {
    const child = spawn('sleep', ['60']);
    writeFileSync(join(directory, 'start.lock'), JSON.stringify(identify(child.pid ?? 0)));
    expect(() => claimDataDirectory(directory)).toThrow(`process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    claimDataDirectory(directory)();
  });

  it('does not stay locked when another program has the process id of the killed one', () => {
    writeFileSync(join(directory, 'start.lock'), JSON.stringify({ pid: process.pid, startedAt: 'long ago' }));
    claimDataDirectory(directory)();
  });

  it('that cannot be created is reported by name', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(() => claimDataDirectory(join(file, 'data'))).toThrow(/is not usable/);
  });
});
