import type { z } from 'zod';
import type { CheckAnswer, checkRequest } from '../../../contract/sidecar.ts';
import type { Db } from '../../../store/database.ts';
import { checkAndConsume } from '../../../store/grants/check-and-consume.ts';

/**
 * Whether a call may pass now (docs/grants.md#the-check-of-a-call). Which scope the tool needs comes from the frozen configuration,
 * not from the caller; the built-in `platform` server is ungated.
 */
export async function checkCall(
  db: Db,
  sessionId: string,
  { call_id: callId, server, tool }: z.infer<typeof checkRequest>,
): Promise<CheckAnswer> {
  return server === 'platform'
    ? { decision: 'allowed', granted_via: null }
    : checkAndConsume(db, { callId, sessionId, server, tool });
}
