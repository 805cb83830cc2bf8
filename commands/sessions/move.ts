/**
 * Each change of a session's status, with what follows from it: events, the audit trail, its parent and its
 * children.
 */
import { askedToEnd } from '../../contract/sentences.ts';
import {
  isTerminal,
  type Session,
  type SessionStatus,
  sessionStatus,
  type TerminalStatus,
} from '../../contract/session.ts';
import { type Actor, systemActor } from '../../contract/session-event.ts';
import type { SessionEnding } from '../../contract/workflows.ts';
import { answerPatchRequestOfSession } from '../../store/artifacts/patch-requests.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { cancelAuthorizations } from '../../store/oauth-authorizations/authorizations.ts';
import { listOpenRequestsOfSession } from '../../store/permission-requests/requests.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { addSessionInput } from '../../store/session-inputs/inputs.ts';
import {
  agentNameOf,
  isUnfinished,
  lockSession,
  readRequestedEnding,
  readSession,
  requestEnding,
  updateStatus,
} from '../../store/sessions/sessions.ts';
import { listUnfinishedChildren, lockTree } from '../../store/sessions/tree.ts';
import { closePermissionRequest } from '../permission-requests/close.ts';
import { endServicesWithSession } from '../previews/end.ts';
import { cutOffLiveText, withoutLimit } from '../session-events/live-text.ts';

/** Why a session was ended that outlived its parent. */
export const parentEnded = 'The session that started it has ended';

/**
 * Asks each child that has not ended to end, which their workflows carry out; a child that was asked before
 * keeps the first reason. Takes a transaction that ended the session and holds its tree's lock.
 */
async function endChildren(trx: Transaction, sessionId: string): Promise<void> {
  for (const id of await listUnfinishedChildren(trx, sessionId)) {
    await requestEnding(trx, id, {
      by: systemActor,
      status: 'terminated',
      reason: parentEnded,
      summary: null,
    });
  }
}

/**
 * Tells the parent of a session that has ended: in its transcript, and its agent unless it has ended, too.
 * Takes a transaction that holds the tree's lock.
 */
export async function tellParent(
  trx: Transaction,
  { id, agent_id, parent_session_id: parentId }: Session,
  { status, reason }: { status: TerminalStatus; reason: string | null },
): Promise<void> {
  if (parentId === null) {
    return;
  }
  const agent = { id: agent_id, name: await agentNameOf(trx, agent_id) };
  await appendSessionEvent(trx, parentId, {
    id: derivedId(id, 'child_ended'),
    type: 'child.ended',
    actor: systemActor,
    payload: { session_id: id, status, reason },
  });
  if (await isUnfinished(trx, parentId)) {
    await addSessionInput(trx, parentId, {
      id: derivedId(id, 'child_ended', 'input'),
      kind: 'child_ended',
      text: `Child session ${id} has ended as ${status}. Unless you have read that already, call read_child_output of the platform server with ${JSON.stringify({ session_id: id })}: it has its events and its outcome.`,
      decision: null,
      inputRequestId: null,
      sender: { relation: 'child', session_id: id, agent },
    });
  }
}

/**
 * Moves a session to another status, with its event and, at the end, its audit event, in one transaction. The
 * same status again, an earlier one, and any move of a session that has ended, change nothing: a step may be
 * late. Throws for an unknown session.
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
    if (isTerminal(to)) {
      await cutOffLiveText(trx, before, withoutLimit);
    }
    await updateStatus(trx, before, { to, reason, outcome });
    await appendSessionEvent(trx, id, {
      id: derivedId(id, before.status, to),
      type: 'session.status_changed',
      actor: systemActor,
      payload: { from: before.status, to, reason },
    });
    if (isTerminal(to)) {
      await cancelAuthorizations(trx, { session_id: id });
      await answerPatchRequestOfSession(trx, id);
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

/**
 * What an agent does is recorded after its session's run, although the workflow may not have come to that
 * yet. Idempotent.
 */
export async function recordAtWork(db: Db, { id, status }: Pick<Session, 'id' | 'status'>): Promise<void> {
  if (status === 'starting') {
    await moveSession(db, id, { to: 'running', reason: null });
  }
}

/**
 * Cancels what is still open and moves the session to its end, in one transaction. A requested end in the
 * session's row takes precedence over what was observed. Idempotent: a recorded end is returned as it is,
 * except the words of people and agents, which stay out of Temporal.
 */
export function endSession(db: Db, id: string, observed: SessionEnding): Promise<SessionEnding> {
  return inTransaction(db, async (trx) => {
    const session = await readSession(trx, id);
    if (session === null) {
      return observed;
    }
    const asked = await readRequestedEnding(trx, id);
    const ending = asked === null ? observed : { status: asked.status, reason: asked.reason };
    for (const request of await listOpenRequestsOfSession(trx, id)) {
      await closePermissionRequest(trx, request.id, { status: 'cancelled', reason: 'The session ended' });
    }
    const { status, status_reason } = await moveSession(trx, id, {
      to: ending.status,
      reason: ending.reason,
    });
    const recorded = isTerminal(status) ? { status, reason: status_reason ?? ending.reason } : ending;
    return asked === null ? recorded : { ...recorded, reason: askedToEnd };
  });
}
