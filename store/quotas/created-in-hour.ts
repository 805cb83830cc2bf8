import type { Transaction } from '../database.ts';
import { QuotaExceededError } from './quota-exceeded.ts';

export interface HourlyQuota {
  limit: number;
  /** Such as `sessions an hour per user`. */
  what: string;
  event: 'session.created' | 'workspace.created';
  /** Whose creations count. */
  of: { actor_id: string } | { workspace_id: string };
}

/**
 * Throws QuotaExceededError when `limit` were created within the last hour, with the time until the oldest of them is an hour old.
 * Reads one row of the audit trail, which also covers removed items: the one that is `limit` creations back.
 */
export async function requireHourlyQuota(
  trx: Transaction,
  { limit, what, event, of }: HourlyQuota,
): Promise<void> {
  const newest: { seconds: number } | undefined = await trx('audit_events')
    .where({ event, ...of })
    .orderBy('position', 'desc')
    .offset(limit - 1)
    .first(trx.raw("ceil(extract(epoch from at + interval '1 hour' - now()))::integer as seconds"));
  if (newest !== undefined && newest.seconds > 0) {
    throw new QuotaExceededError(limit, what, newest.seconds);
  }
}
