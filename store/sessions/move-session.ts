import { isTerminal, type Session, type SessionStatus } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { appendSessionEvent } from '../session-events/append.ts';
import { derivedId } from '../session-events/derived-id.ts';
import { agentNameOf } from './agent-name.ts';
import { readRequestedEnding } from './ending.ts';
import { readSession } from './read-session.ts';
import { type SessionRow, sessionColumns } from './row.ts';

/**
 * Moves a session to another status, with its event and, at the end, its audit event, in one transaction.
 * The same status again, and any move of a session that has ended, change nothing. Throws for an unknown session.
 */
export function moveSession(
  db: Db,
  id: string,
  { to, reason }: { to: SessionStatus; reason: string | null },
): Promise<Session> {
  return inTransaction(db, async (trx) => {
    const before = await trx<SessionRow>('sessions')
      .where({ id })
      .forNoKeyUpdate()
      .first([...sessionColumns]);
    if (before === undefined) {
      throw new Error(`there is no session ${id}`);
    }
    if (before.status === to || isTerminal(before.status)) {
      return before;
    }
    await trx('sessions')
      .where({ id })
      .update({
        status: to,
        status_reason: reason,
        ...(to === 'running' && before.started_at === null ? { started_at: trx.fn.now() } : {}),
        ...(isTerminal(to) ? { ended_at: trx.fn.now(), outcome: await outcomeOf(trx, id, to) } : {}),
      });
    await appendSessionEvent(trx, id, {
      id: derivedId(id, before.status, to),
      type: 'session.status_changed',
      actor: systemActor,
      payload: { from: before.status, to, reason },
    });
    if (isTerminal(to)) {
      await recordEnd(trx, before, to, reason);
    }
    return (await readSession(trx, id)) ?? before;
  });
}

/** What the agent said about its work, when the session ends the way it asked for. */
async function outcomeOf(trx: Db, id: string, status: SessionStatus): Promise<string | null> {
  const asked = await readRequestedEnding(trx, id);
  return asked?.by.type === 'agent' && asked.status === status
    ? JSON.stringify({ outcome: status, summary: asked.summary })
    : null;
}

async function recordEnd(
  trx: Db,
  session: Session,
  status: SessionStatus,
  reason: string | null,
): Promise<void> {
  const asked = await readRequestedEnding(trx, session.id);
  await appendAuditEvent(trx, {
    id: derivedId(session.id, 'ended'),
    workspaceId: session.workspace_id,
    event: 'session.ended',
    actor: asked?.status === status ? asked.by : systemActor,
    resource: { type: 'session', id: session.id, name: await agentNameOf(trx, session.agent_id) },
    sessionId: session.id,
    data: { status, reason },
  });
}
