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
 * Throws QuotaExceededError when as many were created within the last hour, with the time until the oldest of them is an hour old.
 * Looks at one row of the audit trail, which keeps what was created and removed again: the one that is `limit` creations back.
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
