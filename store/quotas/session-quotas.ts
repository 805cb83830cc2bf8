import { terminalStatus } from '../../contract/session.ts';
import type { Transaction } from '../database.ts';
import { requireHourlyQuota } from './created-in-hour.ts';
import { lockQuota } from './lock-quota.ts';
import { QuotaExceededError } from './quota-exceeded.ts';

/** By the names of their settings (config/quotas.ts). */
export interface SessionQuotas {
  LIMIT_RUNNING_SESSIONS_PER_USER: number;
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: number;
  RATE_SESSIONS_PER_HOUR_PER_USER: number;
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: number;
}

/** Whose quotas a new session counts against. */
export interface SessionQuotaHolder {
  userId: string;
  workspaceId: string;
}

/** Call this first: the counts cannot change until this transaction ends. */
export async function lockSessionQuotas(
  trx: Transaction,
  { userId, workspaceId }: SessionQuotaHolder,
): Promise<void> {
  await lockQuota(trx, { userId });
  await lockQuota(trx, { workspaceId });
}

/** Throws QuotaExceededError unless the user may start one more session in the workspace. */
export async function requireSessionQuotas(
  trx: Transaction,
  { userId, workspaceId }: SessionQuotaHolder,
  quotas: SessionQuotas,
): Promise<void> {
  const running = [
    [quotas.LIMIT_RUNNING_SESSIONS_PER_USER, 'running sessions per user', { root_operator_id: userId }],
    [
      quotas.LIMIT_RUNNING_SESSIONS_PER_WORKSPACE,
      'running sessions per workspace',
      { workspace_id: workspaceId },
    ],
  ] as const;
  for (const [limit, what, of] of running) {
    await requireRoom(trx, limit, what, of);
  }
  const event = 'session.created';
  await requireHourlyQuota(trx, {
    limit: quotas.RATE_SESSIONS_PER_HOUR_PER_USER,
    what: 'new sessions an hour per user',
    event,
    of: { actor_id: userId },
  });
  await requireHourlyQuota(trx, {
    limit: quotas.RATE_SESSIONS_PER_HOUR_PER_WORKSPACE,
    what: 'new sessions an hour per workspace',
    event,
    of: { workspace_id: workspaceId },
  });
}

async function requireRoom(
  trx: Transaction,
  limit: number,
  what: string,
  of: { root_operator_id: string } | { workspace_id: string },
): Promise<void> {
  // Written out as in the partial indexes, which a list of parameters would not match.
  const unfinished = `status not in (${terminalStatus.options.map((status) => `'${status}'`).join(', ')})`;
  const taken = await trx('sessions').where(of).whereRaw(unfinished).limit(limit).select('id');
  if (taken.length >= limit) {
    throw new QuotaExceededError(limit, `${what}; one has to end first`);
  }
}
