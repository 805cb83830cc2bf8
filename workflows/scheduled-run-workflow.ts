/**
 * One time of a schedule: its session is started and waited for, since Temporal takes a run for over when its
 * workflow is. It is cancelled when the next run is to take its place.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ScheduledRunEnd, ScheduledRunWorkflowInput } from '../contract/workflows.ts';
import { scheduledSessionEnded } from './messages.ts';
import * as steps from './steps.ts';
import { showOwner } from './visibility.ts';

/** However the signal was missed, the end is noticed within this time. */
const longestWaitMs = 60_000;
/** About four hours of looks. */
const defaultHistoryLimit = 2000;

/**
 * Returns once its session has ended, or there is none. Which time it is for is in its id,
 * where the activities read it.
 */
export async function scheduledRunWorkflow(input: ScheduledRunWorkflowInput): Promise<ScheduledRunEnd> {
  const { scheduleId, historyLimit = defaultHistoryLimit } = input;
  const session: Session = { scheduleId, mayHaveEnded: false };
  setHandler(scheduledSessionEnded, () => {
    session.mayHaveEnded = true;
  });
  if (!(input.isStarted ?? (await isStarted(scheduleId)))) {
    return { hadSession: false };
  }
  const end = await untilEnded(session, historyLimit).catch((error: unknown) => {
    if (!isCancellation(error)) {
      throw error;
    }
    return CancellationScope.nonCancellable(async () => {
      await steps.endScheduledSession({ scheduleId });
      return untilEnded(session, historyLimit);
    });
  });
  return end === 'ended'
    ? { hadSession: true }
    : continueAsNew<typeof scheduledRunWorkflow>({ ...input, isStarted: true });
}

interface Session {
  scheduleId: string;
  mayHaveEnded: boolean;
}

/** What was begun is not left: a session that is created unnoticed would run beside the next one. */
async function isStarted(scheduleId: string): Promise<boolean> {
  const start = () => steps.startScheduledSession({ scheduleId });
  const { isStarted, owner } = await CancellationScope.nonCancellable(start);
  if (owner !== null) {
    showOwner(owner);
  }
  return isStarted;
}

/** Looks at once, after each signal, and from time to time. */
async function untilEnded(session: Session, historyLimit: number): Promise<'ended' | 'history full'> {
  const { scheduleId } = session;
  while (true) {
    session.mayHaveEnded = false;
    if ((await steps.lookAtScheduledSession({ scheduleId })).hasEnded) {
      return 'ended';
    }
    await condition(() => session.mayHaveEnded, longestWaitMs, {
      summary: 'Wait for the end of the session',
    });
    // A cancellation that came with the timer is not left behind in the run before.
    const { consideredCancelled } = CancellationScope.current();
    if (workflowInfo().historyLength > historyLimit && !consideredCancelled) {
      return 'history full';
    }
  }
}
