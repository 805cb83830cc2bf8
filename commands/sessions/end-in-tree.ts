/** What the end of a session means for the sessions above and below it. */
import type { Session, TerminalStatus } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { addSessionInput } from '../../store/session-inputs/add.ts';
import { agentNameOf } from '../../store/sessions/agent-name.ts';
import { listEndedWithChildren, listUnfinishedChildren } from '../../store/sessions/children.ts';
import { requestEnding } from '../../store/sessions/ending.ts';
import { lockTree } from '../../store/sessions/lock-tree.ts';
import { isUnfinished } from '../../store/sessions/status.ts';

/** Why a session was ended that outlived its parent. */
export const parentEnded = 'The session that started it has ended';

/**
 * Asks each child that has not ended to end, which their workflows carry out; a child that was asked before keeps the first reason. Takes a transaction
 * that ended the session and holds its tree's lock.
 */
export async function endChildren(trx: Transaction, sessionId: string): Promise<void> {
  for (const id of await listUnfinishedChildren(trx, sessionId)) {
    await requestEnding(trx, id, {
      by: systemActor,
      status: 'terminated',
      reason: parentEnded,
      summary: null,
    });
  }
}

/** Asks the children of ended sessions to end that nobody asked: a worker of an earlier release knows no children. */
export async function endForgottenChildren(db: Db): Promise<void> {
  for (const parentId of await listEndedWithChildren(db)) {
    await inTransaction(db, async (trx) => {
      await lockTree(trx, parentId);
      await endChildren(trx, parentId);
    });
  }
}

/** Tells the parent of a session that has ended: in its transcript, and its agent unless it has ended, too. Takes a transaction that holds the tree's lock. */
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
