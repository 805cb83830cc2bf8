/** One time of a schedule: its session starts, is looked at, and is ended in favour of the next. */
import { runIdOf, startScheduledRun } from '../../commands/schedules/start-run.ts';
import { supersededSentence } from '../../contract/sentences.ts';
import { isTerminal } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { type DueRun, sessionSignals } from '../../contract/workflows.ts';
import { readRunOfSession } from '../../store/schedules/runs.ts';
import { readSession, requestEnding } from '../../store/sessions/sessions.ts';
import { readSessionSummary } from '../../store/sessions/workflow-summaries.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type Shown, shownOf } from '../workflow-owner.ts';

/**
 * Starts the session, with its workflow, or records why there is none. Idempotent: the same
 * time finds the same session.
 */
export async function startScheduledSession(
  dependencies: ActivityDependencies,
  due: DueRun,
): Promise<{ isStarted: boolean; owner: RunOwner | null }> {
  const { db, workflows, limits } = dependencies;
  const sessionId = await startScheduledRun(db, due, limits);
  if (sessionId === null) {
    return { isStarted: false, owner: null };
  }
  const session = await readSession(db, sessionId);
  if (session?.status === 'pending') {
    await workflows.startSession(sessionId, await readSessionSummary(db, sessionId));
  }
  const shown = await shownOf(dependencies, 'session', sessionId);
  const owner = session && { workspaceId: session.workspace_id, sessionId, ...shown };
  return { isStarted: true, owner };
}

interface RunOwner extends Shown {
  workspaceId: string;
  sessionId: string;
}

/** A session that was removed has ended. Reads only. */
export async function lookAtScheduledSession(
  { db }: ActivityDependencies,
  due: DueRun,
): Promise<{ hasEnded: boolean }> {
  const session = await readSession(db, runIdOf(due));
  return { hasEnded: session === null || isTerminal(session.status) };
}

/** Asks the session to end. Idempotent: the first request counts, and one that has ended stays as it is. */
export async function endScheduledSession(
  { db, workflows }: ActivityDependencies,
  due: DueRun,
): Promise<void> {
  const sessionId = runIdOf(due);
  await requestEnding(db, sessionId, {
    by: systemActor,
    status: 'terminated',
    reason: supersededSentence,
    summary: null,
  });
  await workflows.signalSession(sessionId, sessionSignals.terminate);
}

/**
 * Tells the run of a session that has ended. Nobody waits for it: what is not told is
 * noticed by the run's next look.
 */
export async function tellScheduledRun(
  { db, workflows, log }: Pick<ActivityDependencies, 'db' | 'workflows' | 'log'>,
  sessionId: string,
): Promise<void> {
  const run = await readRunOfSession(db, sessionId);
  if (run !== null) {
    const { schedule_id: scheduleId, scheduled_at: scheduledAt } = run;
    void workflows
      .signalScheduledRun({ scheduleId, scheduledAt })
      .catch((err: unknown) => log.warn({ err, sessionId }, 'the run notices later that its session ended'));
  }
}
