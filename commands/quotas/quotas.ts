/**
 * Whether a quota leaves room for one more. Whoever asks has locked the quota, so that of two at a limit one
 * is refused.
 */
import type { Transaction } from '../../store/database.ts';
import {
  countInWorkspace,
  countUnfinishedSessions,
  type HourlyCreations,
  lockQuota,
  QuotaExceededError,
  type QuotaHolder,
  readHourlyWait,
} from '../../store/quotas/quotas.ts';

interface HourlyQuota extends HourlyCreations {
  /** Such as `new sessions an hour per user`. */
  what: string;
}

/**
 * Throws QuotaExceededError when `limit` were created within the last hour, with the time until the oldest of
 * them is an hour old.
 */
export async function requireHourlyQuota(
  trx: Transaction,
  { what, ...creations }: HourlyQuota,
): Promise<void> {
  const seconds = await readHourlyWait(trx, creations);
  if (seconds > 0) {
    throw new QuotaExceededError(creations.limit, what, seconds);
  }
}

const nameOf = {
  agents: 'agents',
  channels: 'channels',
  mcp_servers: 'catalog entries',
  schedules: 'schedules',
} as const;

/**
 * Throws QuotaExceededError unless the workspace may have one more; the count cannot change until the
 * transaction ends.
 */
export async function requireRoomInWorkspace(
  trx: Transaction,
  workspaceId: string,
  what: keyof typeof nameOf,
  { limit }: { limit: number },
): Promise<void> {
  await lockQuota(trx, { workspaceId });
  if ((await countInWorkspace(trx, what, workspaceId, limit)) >= limit) {
    throw new QuotaExceededError(limit, `${nameOf[what]} per workspace; remove one first`);
  }
}

/** What runs for a user in a workspace, and how many of it each of the two may have. */
interface RunningQuota {
  what: 'sessions' | 'checks';
  perUser: number;
  perWorkspace: number;
  /** Those that run, counted up to the limit. */
  count(trx: Transaction, of: QuotaHolder, limit: number): Promise<number>;
}

/**
 * Throws QuotaExceededError unless one more may run for the user, if there is one, and in the workspace.
 * Takes a transaction that locked both quotas.
 */
export async function requireRoomToRun(
  trx: Transaction,
  { userId, workspaceId }: { userId: string | null; workspaceId: string },
  { what, perUser, perWorkspace, count }: RunningQuota,
): Promise<void> {
  if (userId !== null && (await count(trx, { userId }, perUser)) >= perUser) {
    throw new QuotaExceededError(perUser, `running ${what} per user; one has to end first`);
  }
  if ((await count(trx, { workspaceId }, perWorkspace)) >= perWorkspace) {
    throw new QuotaExceededError(perWorkspace, `running ${what} per workspace; one has to end first`);
  }
}

/** By their names in the configuration (config/limits.ts, config/fixed-limits.ts). */
export interface SessionQuotas {
  LIMIT_RUNNING_SESSIONS_PER_USER: number;
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: number;
  RATE_SESSIONS_PER_HOUR_PER_USER: number;
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: number;
}

/**
 * Throws QuotaExceededError unless the user may start one more session in the workspace, by a session of
 * theirs or themselves; without a user only the workspace's quotas count. Takes a transaction that locked
 * both quotas.
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
