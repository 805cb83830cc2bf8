/** Calls that a session's sidecar recorded and could not report, because it was killed or the platform was unreachable. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { auditSpoolPath, readSpool } from '../../contract/audit-spool.ts';
import type { TakeLeftCalls } from '../workload.ts';

/** Hands over every call of the spool, once nothing of the session runs. Throws when they are not accepted. */
export async function handOverCalls(directory: string, take: TakeLeftCalls): Promise<void> {
  const { calls, counts } = readSpool(readIfThere(join(directory, auditSpoolPath)));
  if (calls.length + counts.length > 0) {
    await take(basename(directory), calls, counts);
  }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error !== null && typeof error === 'object' && 'code' in error && error.code === 'ENOENT') {
      return Buffer.alloc(0);
    }
    throw error;
  }
}
