/** Adds to the audit trail. Call it inside the transaction of the change that it records. */
import { randomUUID } from 'node:crypto';
import type { AuditEventName } from '../../contract/audit-event.ts';
import type { Actor } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';

export interface NewAuditEvent {
  workspaceId: string;
  event: AuditEventName;
  actor: Actor;
  resource: { type: string; id: string; name: string };
  sessionId?: string | null;
  /** Names and references; never a secret's value. */
  data?: Record<string, unknown>;
  /** Makes writing the event idempotent (a call's id for `session.mcp.tool_called`). */
  id?: string;
}

/** Returns whether the event is new: false when one with this id is already there. */
export async function appendAuditEvent(db: Db, event: NewAuditEvent): Promise<boolean> {
  const inserted = await db('audit_events')
    .insert({
      id: event.id ?? randomUUID(),
      workspace_id: event.workspaceId,
      event: event.event,
      actor_type: event.actor.type,
      actor_id: event.actor.id,
      resource_type: event.resource.type,
      resource_id: event.resource.id,
      resource_name: event.resource.name,
      session_id: event.sessionId ?? null,
      data: JSON.stringify(event.data ?? {}),
    })
    .onConflict('id')
    .ignore()
    .returning('id');
  return inserted.length > 0;
}
