import type { Session } from '../../contract/session.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockBothQuotas } from '../../store/quotas/lock-quota.ts';
import { findSession, type NewSession } from '../../store/sessions/insert.ts';
import { requireSessionQuotas, type SessionQuotas } from '../quotas/session-quotas.ts';
import { createSession } from './create.ts';

/**
 * Creates a session for its operator, within their quotas and the workspace's. Of two requests with one key the second
 * returns the session of the first, also when that used up the quota. Throws QuotaExceededError and AgentArchivedError.
 */
export function createWithinQuotas(
  db: Db,
  input: NewSession & { operatorId: string },
  quotas: SessionQuotas,
): Promise<Session> {
  const of = { userId: input.operatorId, workspaceId: input.workspaceId };
  return inTransaction(db, async (trx) => {
    await lockBothQuotas(trx, of);
    const earlier = await findSession(trx, input);
    if (earlier !== null) {
      return earlier;
    }
    await requireSessionQuotas(trx, of, quotas);
    return createSession(trx, input);
  });
}
