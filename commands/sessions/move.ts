import { isTerminal, type Session, type SessionStatus, sessionStatus } from '../../contract/session.ts';
import { type Actor, systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { cancelAuthorizations } from '../../store/oauth-authorizations/change.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { agentNameOf } from '../../store/sessions/agent-name.ts';
import { readRequestedEnding } from '../../store/sessions/ending.ts';
import { lockTree } from '../../store/sessions/lock-tree.ts';
import { readSession } from '../../store/sessions/read-session.ts';
import { lockSession, updateStatus } from '../../store/sessions/status.ts';
import { endServicesWithSession } from '../previews/end-with-session.ts';
import { endChildren, tellParent } from './end-in-tree.ts';

/**
 * Moves a session to another status, with its event and, at the end, its audit event, in one transaction.
 * The same status again, an earlier one, and any move of a session that has ended, change nothing: a step may be late. Throws for an unknown
 * session.
 */
export function moveSession(
  db: Db,
  id: string,
  { to, reason }: { to: SessionStatus; reason: string | null },
): Promise<Session> {
  return inTransaction(db, async (trx) => {
    if (isTerminal(to)) {
      // An end is written to the sessions above and below, whose writers take this lock first, too.
      await lockTree(trx, id);
    }
    const before = await lockSession(trx, id);
    if (before === null) {
      throw new Error(`there is no session ${id}`);
    }
    if (isTerminal(before.status) || !isLater(to, before.status)) {
      return before;
    }
    const requested = isTerminal(to) ? await readRequestedEnding(trx, id) : null;
    const asked = requested?.status === to ? requested : null;
    // What the agent said about its work, when the session ends the way it asked for.
    const outcome = asked?.by.type === 'agent' ? { outcome: asked.status, summary: asked.summary } : null;
    await updateStatus(trx, before, { to, reason, outcome });
    await appendSessionEvent(trx, id, {
      id: derivedId(id, before.status, to),
      type: 'session.status_changed',
      actor: systemActor,
      payload: { from: before.status, to, reason },
    });
    if (isTerminal(to)) {
      await cancelAuthorizations(trx, { session_id: id });
      await endServicesWithSession(trx, id);
      await endChildren(trx, id);
      // An agent's own words about its end are in its outcome, not in the platform's sentence.
      await tellParent(trx, before, { status: to, reason: asked?.by.type === 'agent' ? null : reason });
      await auditEnd(trx, before, { status: to, reason, by: asked?.by ?? systemActor });
    }
    return (await readSession(trx, id)) ?? before;
  });
}

/** A launch goes through the states in their order. */
const isLater = (status: SessionStatus, than: SessionStatus) =>
  sessionStatus.options.indexOf(status) > sessionStatus.options.indexOf(than);

async function auditEnd(
  trx: Transaction,
  session: Session,
  { by, ...data }: { status: SessionStatus; reason: string | null; by: Actor },
): Promise<void> {
  await appendAuditEvent(trx, {
    id: derivedId(session.id, 'ended'),
    workspaceId: session.workspace_id,
    event: 'session.ended',
    actor: by,
    resource: { type: 'session', id: session.id, name: await agentNameOf(trx, session.agent_id) },
    sessionId: session.id,
    data,
  });
}
