import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { openContainerLog } from '../../../../../runtime/process/host/container-log.ts';
import { eventually } from '../../../../support/eventually.ts';

let directory: string | undefined;
afterEach(() => {
  if (directory !== undefined) {
    rmSync(directory, { recursive: true, force: true });
  }
});

it('drops lines while the disk is full, and never throws', () => {
  // Every write to it ends with ENOSPC.
  expect(() => appendFileSync('/dev/full', 'x')).toThrow('ENOSPC');
  const log = openContainerLog('/dev/full');
  log.write('a line');
  log.write(Buffer.alloc(100_000, 'x'));
  log.close();
});

it('starts over once it is too large, and accepts nothing after it was closed', async () => {
  directory = mkdtempSync(join(tmpdir(), 'container-log-'));
  const path = join(directory, 'log');
  const opened = openContainerLog(path);
  opened.write(Buffer.alloc(2 * 1024 * 1024, 'x'));
  await eventually(() => expect(readFileSync(path)).toHaveLength(0));
  opened.write('goes on');
  opened.close();
  opened.write('too late');
  expect(readFileSync(path, 'utf8')).toBe('goes on');
});
