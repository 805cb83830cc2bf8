import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditSpoolPath } from '../../contract/audit-spool.ts';

/** The spool in a session's directory; null when there is none. */
export function readSpoolFile(directory: string): Buffer | null {
  try {
    return readFileSync(join(directory, auditSpoolPath));
  } catch (error) {
    if (error !== null && typeof error === 'object' && 'code' in error && error.code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}
