import type { Preview } from '../../contract/preview.ts';
import { isTerminal } from '../../contract/session.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { bytesOf, insertPreview, type NewPreview, readPreviewTotals } from '../../store/previews/change.ts';
import { findPreviewOfCall } from '../../store/previews/read.ts';
import { lockQuota } from '../../store/quotas/lock-quota.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { lockSession } from '../../store/sessions/status.ts';
import { auditPreview } from './audit.ts';
import { requireRoomForService, type ServiceQuotas } from './service-quotas.ts';

/** By the names of their settings (config/quotas.ts). */
export interface PreviewQuotas extends ServiceQuotas {
  LIMIT_PREVIEWS_PER_SESSION: number;
  LIMIT_PREVIEWS_PER_WORKSPACE: number;
  LIMIT_PREVIEW_BYTES_PER_WORKSPACE: number;
}

/**
 * Stores a preview with its files or its service, its event and its audit record. Idempotent by the session's call: one that is sent again is
 * answered with the preview that it made, as that is now. Null once the session has ended. Throws QuotaExceededError.
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
