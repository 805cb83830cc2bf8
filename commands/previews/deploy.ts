/** A preview is deployed: of files, or of a service, within its quotas. */
import type { Preview } from '../../contract/preview.ts';
import { isTerminal } from '../../contract/session.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  bytesOf,
  findPreviewOfCall,
  insertPreview,
  type NewPreview,
  readPreviewTotals,
} from '../../store/previews/previews.ts';
import { readServiceTotals, readServiceWait } from '../../store/previews/services.ts';
import { lockQuota, QuotaExceededError } from '../../store/quotas/quotas.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { lockSession } from '../../store/sessions/sessions.ts';
import { auditPreview } from './end.ts';

/** By their names in the configuration (config/limits.ts, config/fixed-limits.ts). */
interface ServiceQuotas {
  LIMIT_SERVICES_PER_SESSION: number;
  LIMIT_SERVICES_PER_WORKSPACE: number;
  RATE_SERVICES_PER_HOUR_PER_SESSION: number;
  RATE_SERVICES_PER_HOUR_PER_WORKSPACE: number;
}

/**
 * Throws QuotaExceededError unless the session may have one more service running. Takes a transaction that
 * locked the workspace's quota.
 */
async function requireRoomForService(
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

/** By their names in the configuration (config/limits.ts, config/fixed-limits.ts). */
interface PreviewQuotas extends ServiceQuotas {
  LIMIT_PREVIEWS_PER_SESSION: number;
  LIMIT_PREVIEWS_PER_WORKSPACE: number;
  LIMIT_PREVIEW_BYTES_PER_WORKSPACE: number;
}

/**
 * Stores a preview with its files or its service, its event and its audit record. Idempotent by the session's
 * call: one that is sent again is answered with the preview that it made, as that is now. Null once the
 * session has ended. Throws QuotaExceededError.
 */
export function deployPreview(
  db: Db,
  input: NewPreview & { agentId: string },
  quotas: PreviewQuotas,
): Promise<Preview | null> {
  return inTransaction(db, async (trx) => {
    // Of two at a limit one is refused, and of a call that arrives twice at once the second finds the first.
    await lockQuota(trx, input);
    const known = await findPreviewOfCall(trx, input);
    if (known !== null) {
      return known;
    }
    const session = await lockSession(trx, input.sessionId);
    if (session === null || isTerminal(session.status)) {
      return null;
    }
    await requireRoom(trx, input, quotas);
    const stored = await insertPreview(trx, input);
    await announce(trx, stored, input.agentId);
    return stored;
  });
}

async function requireRoom(trx: Transaction, input: NewPreview, quotas: PreviewQuotas): Promise<void> {
  const totals = await readPreviewTotals(trx, input);
  const { LIMIT_PREVIEWS_PER_SESSION: perSession, LIMIT_PREVIEWS_PER_WORKSPACE: perWorkspace } = quotas;
  if (totals.ofSession >= perSession) {
    throw new QuotaExceededError(perSession, 'live previews per session; one has to end or expire first');
  }
  if (totals.ofWorkspace >= perWorkspace) {
    throw new QuotaExceededError(perWorkspace, 'live previews per workspace; one has to end or expire first');
  }
  const { LIMIT_PREVIEW_BYTES_PER_WORKSPACE: bytes } = quotas;
  if (totals.bytesOfWorkspace + bytesOf(input.files) > bytes) {
    throw new QuotaExceededError(bytes, 'bytes of previews per workspace; one has to end or expire first');
  }
  if (input.service !== null) {
    await requireRoomForService(trx, input, quotas);
  }
}

async function announce(trx: Transaction, preview: Preview, agentId: string): Promise<void> {
  const { id, session_id: sessionId, title, service, files, size_bytes, expires_at } = preview;
  const actor = { type: 'agent', id: agentId } as const;
  await appendSessionEvent(trx, sessionId, {
    id: derivedId(id, 'preview'),
    type: 'agent.preview',
    actor,
    payload: { preview_id: id, title, service, files, size_bytes, expires_at },
  });
  await appendAuditEvent(trx, await auditPreview(trx, 'session.preview.deployed', actor, preview));
}
