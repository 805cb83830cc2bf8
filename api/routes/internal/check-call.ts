import type { z } from 'zod';
import type { CheckAnswer, checkRequest } from '../../../contract/sidecar.ts';
import type { Db } from '../../../store/database.ts';
import { checkAndConsume } from '../../../store/grants/check-and-consume.ts';
import { readToolGate } from '../../../store/session-configurations/tool-scope.ts';

const ungated: CheckAnswer = { decision: 'allowed', granted_via: null };

/**
 * Whether a call may pass now (spec, Runtime tool gating). Which scope the tool needs comes from the frozen configuration,
 * not from the caller; the built-in `platform` server is ungated.
 */
export async function checkCall(
  db: Db,
  sessionId: string,
  { call_id: callId, server, tool }: z.infer<typeof checkRequest>,
): Promise<CheckAnswer> {
  if (server === 'platform') {
    return ungated;
  }
  const gate = await readToolGate(db, { sessionId, server, tool });
  if (gate === null) {
    return { decision: 'refused', code: 'server_unavailable', scope: null };
  }
  const { scope, ...kept } = gate;
  if (scope === null) {
    return ungated;
  }
  const use = await checkAndConsume(db, { callId, sessionId, server, tool, scope, ...kept });
  return use === null
    ? { decision: 'refused', code: 'permission_required', scope }
    : { decision: 'allowed', granted_via: use.grantId };
}
