import type { Transaction } from '../../store/database.ts';
import { readServiceTotals, readServiceWait } from '../../store/previews/service-quotas.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';

/** By the names of their settings (config/quotas.ts). */
export interface ServiceQuotas {
  LIMIT_SERVICES_PER_SESSION: number;
  LIMIT_SERVICES_PER_WORKSPACE: number;
  RATE_SERVICES_PER_HOUR_PER_SESSION: number;
  RATE_SERVICES_PER_HOUR_PER_WORKSPACE: number;
}

/** Throws QuotaExceededError unless the session may have one more service running. Takes a transaction that locked the workspace's quota. */
export async function requireRoomForService(
  trx: Transaction,
  { workspaceId, sessionId }: { workspaceId: string; sessionId: string },
  quotas: ServiceQuotas,
): Promise<void> {
  const totals = await readServiceTotals(trx, { workspaceId, sessionId });
  const first = 'one has to stop first';
  if (totals.ofSession >= quotas.LIMIT_SERVICES_PER_SESSION) {
    throw new QuotaExceededError(quotas.LIMIT_SERVICES_PER_SESSION, `running services per session; ${first}`);
  }
  if (totals.ofWorkspace >= quotas.LIMIT_SERVICES_PER_WORKSPACE) {
    throw new QuotaExceededError(
      quotas.LIMIT_SERVICES_PER_WORKSPACE,
      `running services per workspace; ${first}`,
    );
  }
  const ofSession = quotas.RATE_SERVICES_PER_HOUR_PER_SESSION;
  requireRate(await readServiceWait(trx, { sessionId }, { limit: ofSession }), ofSession, 'session');
  const ofWorkspace = quotas.RATE_SERVICES_PER_HOUR_PER_WORKSPACE;
  requireRate(await readServiceWait(trx, { workspaceId }, { limit: ofWorkspace }), ofWorkspace, 'workspace');
}

function requireRate(seconds: number, limit: number, whose: 'session' | 'workspace'): void {
  if (seconds > 0) {
    throw new QuotaExceededError(limit, `services started an hour per ${whose}`, seconds);
  }
}
