import type { AuditEventName } from '../../contract/audit-event.ts';
import type { Grant, RevocationCause, StoredGrant } from '../../contract/grant.ts';
import { uuid } from '../../contract/names.ts';
import type { UsedPasskey } from '../../contract/passkey.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import type { Db } from '../../store/database.ts';
import { contentOf, grantResource } from '../../store/grants/row.ts';
import { derivedId } from '../../store/session-events/append.ts';
import { agentNameOf } from '../../store/sessions/sessions.ts';

/** Records what happened to a grant with its content, since a cascade may remove the row later. */
export async function auditGrant(
  db: Db,
  event: Extract<AuditEventName, 'grant.created' | 'grant.revoked'>,
  actor: Actor,
  grant: Grant | StoredGrant,
  details: { cause?: RevocationCause; passkey?: UsedPasskey } = {},
): Promise<void> {
  const { id, workspace_id: workspaceId } = grant;
  const names = await namesOfAgents(db, grant);
  await appendAuditEvent(db, {
    id: derivedId(id, event),
    workspaceId,
    event,
    actor,
    resource: grantResource(grant),
    sessionId: grant.session_id ?? grant.bound_to?.session_id ?? null,
    data: { ...contentOf(grant), ...names, ...details },
  });
}

/** The agents that a grant is about, by the names that they have now: one of them may be deleted later. */
async function namesOfAgents(
  db: Db,
  { agent_subject_id: holder, details }: Grant | StoredGrant,
): Promise<{ agent_name?: string; child_agent_name?: string }> {
  const child = uuid.safeParse(details['child_agent_id']).data;
  return {
    ...(holder === null ? {} : { agent_name: await agentNameOf(db, holder) }),
    ...(child === undefined ? {} : { child_agent_name: await agentNameOf(db, child) }),
  };
}
