/**
 * What ends with a workspace. Each step is a transaction of its own and is done once, so that whoever comes
 * after a killed process continues.
 */
import { workspaceClosedSentence } from '../../contract/sentences.ts';
import type { Actor } from '../../contract/session-event.ts';
import { sessionSignals } from '../../contract/workflows.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { requestCheckCancel } from '../../store/mcp-checks/checks.ts';
import { failRegistration } from '../../store/mcp-registrations/registrations.ts';
import { requestEnding } from '../../store/sessions/sessions.ts';
import { lockTree } from '../../store/sessions/tree.ts';
import { readRegistrationSummary } from '../../store/sessions/workflow-summaries.ts';
import {
  endClosing,
  keepClosing,
  listChecksToEnd,
  listConnectionsToEnd,
  listRegistrationsToEnd,
  listRegistrationsWithRetired,
  listSchedulesPaused,
  listSessionsThatEnd,
  listSessionsToEnd,
} from '../../store/workspaces/closing.ts';
import { revokeGrantsInWorkspace } from '../grants/revoke.ts';
import { leaveServer } from '../mcp-registrations/registrations.ts';
import { endSignIn } from '../oauth-connections/connections.ts';
import { type Copies, followSchedule, pauseSchedulesOf } from '../schedules/pause.ts';

/** What Temporal has to be told, all of it stored. */
interface EndedInClosed {
  sessionIds: string[];
  pausedScheduleIds: string[];
  /** With clients to delete at their servers. */
  registrationIds: string[];
  checkIds: string[];
}

const perTransaction = 200;

/**
 * Asks all that goes on in a closed workspace to end, and takes back what was given there: sessions, grants,
 * schedules, sign-ins, registrations and checks. `tell` is told when all of it is stored, again where it
 * failed; once it was, there is nothing more to end, since nothing begins in a closed workspace. Safe at any
 * time, and from several processes at once.
 */
export async function endInClosed(
  db: Db,
  workspaceId: string,
  tell: (ended: EndedInClosed) => Promise<void>,
): Promise<void> {
  const step = <Done>(none: Done, work: (trx: Transaction, by: Actor) => Promise<Done>): Promise<Done> =>
    inTransaction(db, async (trx) => {
      const userId = await keepClosing(trx, workspaceId);
      return userId === null ? none : work(trx, { type: 'user', id: userId });
    });

  for (const id of await listSessionsToEnd(db, workspaceId)) {
    await step(undefined, (trx, by) => endSession(trx, id, by));
  }
  while (
    (await step(0, (trx, by) => revokeGrantsInWorkspace(trx, { workspaceId, by, limit: perTransaction }))) > 0
  ) {
    // A batch at a time.
  }
  await step<unknown>(null, (trx, by) =>
    pauseSchedulesOf(trx, { workspaceId }, { reason: 'workspace_closed', by }),
  );
  while (
    (await step(0, async (trx, by) => {
      const connections = await listConnectionsToEnd(trx, workspaceId, perTransaction);
      for (const connection of connections) {
        await endSignIn(trx, connection, 'workspace_closed', { by });
      }
      return connections.length;
    })) > 0
  ) {
    // A batch at a time, too.
  }
  for (const id of await listRegistrationsToEnd(db, workspaceId)) {
    await step(undefined, (trx, by) => endRegistration(trx, id, { workspaceId, by }));
  }
  const checkIds = await listChecksToEnd(db, workspaceId);
  for (const id of checkIds) {
    await requestCheckCancel(db, id);
  }
  await tell({
    sessionIds: await listSessionsThatEnd(db, workspaceId),
    pausedScheduleIds: await listSchedulesPaused(db, workspaceId),
    registrationIds: await listRegistrationsWithRetired(db, workspaceId),
    checkIds,
  });
  await endClosing(db, workspaceId);
}

async function endSession(trx: Transaction, id: string, by: Actor): Promise<void> {
  await lockTree(trx, id);
  const reason = workspaceClosedSentence;
  await requestEnding(trx, id, { by, status: 'terminated', reason, summary: null });
}

/** Nobody signs in with it any more; its clients are deleted at their servers. */
async function endRegistration(
  trx: Transaction,
  id: string,
  { workspaceId, by }: { workspaceId: string; by: Actor },
): Promise<void> {
  const ended = await failRegistration(trx, id, workspaceClosedSentence);
  if (ended === null) {
    return;
  }
  await leaveServer(trx, id);
  await appendAuditEvent(trx, {
    workspaceId,
    event: 'workspace.mcp.registration_failed',
    actor: by,
    resource: { type: 'mcp_server', id: ended.entryId, name: ended.entryName },
    data: { reason: workspaceClosedSentence },
  });
}

interface Told {
  db: Db;
  workflows: {
    signalSession(sessionId: string, signal: typeof sessionSignals.terminate): Promise<unknown>;
    reviseRegistration(registrationId: string, summary: string): Promise<unknown>;
    cancelCheck(checkId: string): Promise<unknown>;
  };
  schedules: Copies;
}

/** As many as a user has places, since each may read the database. */
const atATime = 4;

/**
 * Returns what tells Temporal all of it. One thing that Temporal does not take keeps no other from being
 * told, but when it took none of several, it is asked no more. Throws the first failure in the end: what was
 * not told has to be told again.
 */
export function tellTemporal({ db, workflows, schedules }: Told): (ended: EndedInClosed) => Promise<void> {
  return async ({ sessionIds, checkIds, pausedScheduleIds, registrationIds }) => {
    const calls = [
      ...sessionIds.map((id) => () => workflows.signalSession(id, sessionSignals.terminate)),
      ...checkIds.map((id) => () => workflows.cancelCheck(id)),
      ...pausedScheduleIds.map((id) => () => followSchedule(db, schedules, id)),
      ...registrationIds.map((id) => async () => {
        await workflows.reviseRegistration(id, await readRegistrationSummary(db, id));
      }),
    ];
    const failures: unknown[] = [];
    while (calls.length > 0) {
      const asked = await Promise.allSettled(calls.splice(0, atATime).map((call) => call()));
      const failed = asked.filter((each) => each.status === 'rejected');
      failures.push(...failed.map(({ reason }) => reason));
      if (failed.length === asked.length) {
        break;
      }
    }
    if (failures.length > 0) {
      throw failures[0];
    }
  };
}
