import type { AuditEventName } from '../../contract/audit-event.ts';
import type { Grant, RevocationCause, StoredGrant } from '../../contract/grant.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import type { Db } from '../../store/database.ts';
import { contentOf, grantResource } from '../../store/grants/content.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';

/** Records what happened to a grant with its content, since a cascade may remove the row later. */
export async function auditGrant(
  db: Db,
  event: Extract<AuditEventName, 'grant.created' | 'grant.revoked'>,
  actor: Actor,
  grant: Grant | StoredGrant,
  details: { cause?: RevocationCause } = {},
): Promise<void> {
  const { id, workspace_id: workspaceId } = grant;
  await appendAuditEvent(db, {
    id: derivedId(id, event),
    workspaceId,
    event,
    actor,
    resource: grantResource(grant),
    sessionId: grant.session_id ?? grant.bound_to?.session_id ?? null,
    data: { ...contentOf(grant), ...details },
  });
}
