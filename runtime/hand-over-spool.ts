/**
 * Calls that a session's sidecar recorded and could not report, because it was killed or the
 * platform was unreachable.
 */
import { readSpool } from '../contract/audit-spool.ts';
import type { TakeLeftCalls } from './workload.ts';

/**
 * Hands over every call of the spool, once nothing of the session runs; null when there is none. Throws when
 * they are not accepted: then the spool has to stay.
 */
export async function handOverSpool(
  sessionId: string,
  spool: Buffer | null,
  takeLeftCalls: TakeLeftCalls,
): Promise<void> {
  const { calls, counts } = readSpool(spool ?? Buffer.alloc(0));
  if (calls.length + counts.length > 0) {
    await takeLeftCalls(sessionId, calls, counts);
  }
}
