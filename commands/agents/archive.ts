/** An agent is archived, brought back and deleted, with all that ends with it. */
import type { Agent, RunningSessions } from '../../contract/agent.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { agentArchivedSentence } from '../../contract/sentences.ts';
import type { Actor } from '../../contract/session-event.ts';
import { allowLongDeletion, deleteAgent, lockAgent, setArchived } from '../../store/agents/agents.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { listActiveGrantsOfAgent, listActiveGrantsToStart } from '../../store/grants/read.ts';
import { listOpenRequestsOfSession } from '../../store/permission-requests/requests.ts';
import { derivedId } from '../../store/session-events/append.ts';
import {
  countWhatGoes,
  listOwnUnfinishedSessions,
  listUnfinishedSessionsOfAgent,
} from '../../store/sessions/of-agent.ts';
import { requestEnding } from '../../store/sessions/sessions.ts';
import { lineageOf, lockTree } from '../../store/sessions/tree.ts';
import { listUnsettledSessionsOfAgent, settleCalls } from '../../store/tool-calls/record.ts';
import { unlistFromChannels } from '../channels/unlist-agent.ts';
import { revokeGrant } from '../grants/revoke.ts';
import { closePermissionRequest } from '../permission-requests/close.ts';
import { pauseSchedulesOf } from '../schedules/pause.ts';

/** Of a field that names an archived agent for something that only others are for. */
export const agentArchivedProblem = (path: string): FieldProblem => ({
  path,
  code: 'agent_archived',
  message: 'the agent is archived: name another one, or unarchive it first',
});

export interface Archiving {
  agentId: string;
  userId: string;
  /** Null: whoever archives it does not know yet that some run. */
  runningSessions: RunningSessions | null;
}

/** What Temporal still has to be told, all of it stored. */
export interface ToTell {
  endedSessionIds: string[];
  pausedScheduleIds: string[];
  /** Messages for sessions whose requests were closed. */
  messages: { sessionId: string; messageId: string }[];
}

type AgentArchival =
  | { result: 'archived'; agent: Agent; toTell: ToTell }
  | { result: 'not_found' }
  /** Its sessions that run: what happens to them has to be said. */
  | { result: 'in_use'; uses: { type: string; id: string; name: string }[] }
  /** Sessions of it kept being started. */
  | { result: 'busy' };

/** Each attempt after the first was overtaken by a start. */
const mostAttempts = 5;
/** Enough to say what keeps the agent. */
const maxListedUses = 20;

/**
 * Archives an agent: in one transaction its active grants are revoked, and those that let others start it,
 * the open requests of its sessions are closed, its schedules pause, it is taken off every channel, and its
 * sessions are asked to end where that is chosen. One that is archived already stays as it is; its sessions
 * that still run are asked to end, too.
 */
export async function archiveAgent(db: Db, archiving: Archiving): Promise<AgentArchival> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const done = await inTransaction(db, (trx) => tryToArchive(trx, archiving));
    if (done !== null) {
      return done;
    }
  }
  return { result: 'busy' };
}

/**
 * Null, and nothing changed, when a session was started before the agent was locked: trees are locked before
 * agents wherever both are.
 */
async function tryToArchive(
  trx: Transaction,
  { agentId, userId, runningSessions }: Archiving,
): Promise<AgentArchival | null> {
  const locked = await lockTreesOf(trx, await listOwnUnfinishedSessions(trx, agentId));
  const before = await lockAgent(trx, agentId);
  if (before === null) {
    return { result: 'not_found' };
  }
  const sessionIds = await listOwnUnfinishedSessions(trx, agentId);
  if (!sessionIds.every((id) => locked.has(id))) {
    return null;
  }
  const isNew = before.archived_at === null;
  if (isNew && sessionIds.length > 0 && runningSessions === null) {
    const uses = sessionIds.slice(0, maxListedUses).map((id) => ({ type: 'session', id, name: before.name }));
    return { result: 'in_use', uses };
  }
  const by: Actor = { type: 'user', id: userId };
  const endedSessionIds = runningSessions === 'end' ? sessionIds : [];
  for (const id of endedSessionIds) {
    await requestEnding(trx, id, { by, status: 'terminated', reason: agentArchivedSentence, summary: null });
  }
  const none: ToTell = { endedSessionIds, pausedScheduleIds: [], messages: [] };
  return isNew
    ? putAway(trx, before, { by, userId, sessionIds, endedSessionIds })
    : { result: 'archived', agent: before, toTell: none };
}

/** Root first, and roots in one order for everybody. */
async function lockTreesOf(trx: Transaction, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  const roots = new Map<string, string>();
  for (const id of sessionIds) {
    roots.set(id, (await lineageOf(trx, id))[0] ?? id);
  }
  for (const root of [...new Set(roots.values())].sort()) {
    await lockTree(trx, root);
  }
  return new Set(roots.keys());
}

async function putAway(
  trx: Transaction,
  { id: agentId, workspace_id: workspaceId }: Agent,
  {
    by,
    userId,
    sessionIds,
    endedSessionIds,
  }: {
    by: Actor;
    userId: string;
    sessionIds: readonly string[];
    endedSessionIds: string[];
  },
): Promise<AgentArchival> {
  const agent = await setArchived(trx, agentId, true);
  const grants = [
    ...(await listActiveGrantsOfAgent(trx, agentId)),
    ...(await listActiveGrantsToStart(trx, { workspaceId, agentId })),
  ];
  for (const id of new Set(grants.map(({ id }) => id))) {
    await revokeGrant(trx, id, by, 'agent_archived');
  }
  const messages = await closeRequests(trx, sessionIds, userId);
  const pausedScheduleIds = await pauseSchedulesOf(trx, { agentId }, { reason: 'agent_archived', by });
  await unlistFromChannels(trx, { workspaceId, agentId, userId });
  await appendAuditEvent(trx, {
    workspaceId,
    event: 'agent.archived',
    actor: by,
    resource: { type: 'agent', id: agentId, name: agent.name },
    data: { running_sessions: sessionIds, ended_sessions: endedSessionIds },
  });
  return { result: 'archived', agent, toTell: { endedSessionIds, pausedScheduleIds, messages } };
}

async function closeRequests(
  trx: Transaction,
  sessionIds: readonly string[],
  userId: string,
): Promise<ToTell['messages']> {
  const messages: ToTell['messages'] = [];
  for (const sessionId of sessionIds) {
    for (const { id } of await listOpenRequestsOfSession(trx, sessionId)) {
      const closing = { status: 'cancelled', decidedBy: userId, reason: agentArchivedSentence } as const;
      await closePermissionRequest(trx, id, closing);
      messages.push({ sessionId, messageId: derivedId(id, 'decision') });
    }
  }
  return messages;
}

/**
 * Takes an agent back into use. It holds no grant, is on no channel's list, and its schedules stay paused:
 * each has to be given again. Null for one that does not exist; one that is not archived stays as it is.
 */
export function unarchiveAgent(
  db: Db,
  { agentId, userId }: { agentId: string; userId: string },
): Promise<Agent | null> {
  return inTransaction(db, async (trx) => {
    const before = await lockAgent(trx, agentId);
    if (before === null || before.archived_at === null) {
      return before;
    }
    const agent = await setArchived(trx, agentId, false);
    await appendAuditEvent(trx, {
      workspaceId: agent.workspace_id,
      event: 'agent.unarchived',
      actor: { type: 'user', id: userId },
      resource: { type: 'agent', id: agent.id, name: agent.name },
    });
    return agent;
  });
}

type AgentRemoval =
  /** `pausedScheduleIds`: Temporal still has to be told. */
  | { result: 'removed'; pausedScheduleIds: string[] }
  | { result: 'not_found' }
  | { result: 'in_use'; uses: { type: string; id: string; name: string }[] };

/**
 * Removes an agent with its attachments, grants and ended sessions, and all sessions below those, and pauses
 * its schedules. Refused while one of them runs, whose row would be deleted. The lock makes a concurrent
 * creation of a session wait, and then fail.
 */
export async function removeAgent(db: Db, agentId: string, userId: string): Promise<AgentRemoval> {
  return inTransaction(db, async (trx) => {
    await allowLongDeletion(trx);
    const agent = await lockAgent(trx, agentId);
    if (agent === null) {
      return { result: 'not_found' };
    }
    const running = await listUnfinishedSessionsOfAgent(trx, agentId, maxListedUses);
    if (running.length > 0) {
      return {
        result: 'in_use',
        uses: running.map(({ id, agentName: name }) => ({ type: 'session', id, name })),
      };
    }
    const by: Actor = { type: 'user', id: userId };
    // The rows are deleted with the agent; their revocation stays in the audit trail.
    for (const grant of await listActiveGrantsOfAgent(trx, agentId)) {
      await revokeGrant(trx, grant.id, by);
    }
    // Nobody can report a call of a session whose row is gone.
    for (const sessionId of await listUnsettledSessionsOfAgent(trx, agentId)) {
      await settleCalls(trx, sessionId);
    }
    const pausedScheduleIds = await pauseSchedulesOf(trx, { agentId }, { reason: 'agent_removed', by });
    const removed = await countWhatGoes(trx, agentId);
    await deleteAgent(trx, agentId);
    await appendAuditEvent(trx, {
      workspaceId: agent.workspace_id,
      event: 'agent.removed',
      actor: by,
      resource: { type: 'agent', id: agent.id, name: agent.name },
      data: { removed },
    });
    return { result: 'removed', pausedScheduleIds };
  });
}
