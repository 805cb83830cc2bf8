import type { Transaction } from '../../store/database.ts';
import { countUnfinishedSessions } from '../../store/quotas/counts.ts';
import { requireHourlyQuota } from './hourly-quota.ts';
import { requireRoomToRun } from './room-to-run.ts';

/** By the names of their settings (config/quotas.ts). */
export interface SessionQuotas {
  LIMIT_RUNNING_SESSIONS_PER_USER: number;
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: number;
  RATE_SESSIONS_PER_HOUR_PER_USER: number;
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: number;
}

/**
 * Throws QuotaExceededError unless the user may start one more session in the workspace, by a session of theirs or themselves; without a user only the
 * workspace's quotas count. Takes a transaction that locked both quotas.
 */
export async function requireSessionQuotas(
  trx: Transaction,
  { userId, workspaceId }: { userId: string | null; workspaceId: string },
  quotas: SessionQuotas,
): Promise<void> {
  await requireRoomToRun(
    trx,
    { userId, workspaceId },
    {
      what: 'sessions',
      perUser: quotas.LIMIT_RUNNING_SESSIONS_PER_USER,
      perWorkspace: quotas.LIMIT_RUNNING_SESSIONS_PER_WORKSPACE,
      count: countUnfinishedSessions,
    },
  );
  const event = 'session.created';
  if (userId !== null) {
    await requireHourlyQuota(trx, {
      limit: quotas.RATE_SESSIONS_PER_HOUR_PER_USER,
      what: 'new sessions an hour per user',
      event,
      of: { userId },
    });
  }
  await requireHourlyQuota(trx, {
    limit: quotas.RATE_SESSIONS_PER_HOUR_PER_WORKSPACE,
    what: 'new sessions an hour per workspace',
    event,
    of: { workspaceId },
  });
}
