/** Activities of a schedule's runs that do what a test says. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities } from '../../activities/index.ts';

/** The session of one run, and what was called for it, in order. */
export class ScriptedRun {
  readonly calls: string[] = [];
  hasSession = true;
  hasEnded = false;
}

type RunActivities = Pick<
  Activities,
  'startScheduledSession' | 'lookAtScheduledSession' | 'endScheduledSession'
>;

/** By the schedule's id. */
export function runActivities(runs: ReadonlyMap<string, ScriptedRun>): RunActivities {
  const begin = (name: string, { scheduleId }: { scheduleId: string }): ScriptedRun => {
    const run = runs.get(scheduleId);
    if (run === undefined) {
      throw ApplicationFailure.nonRetryable(`no script for schedule ${scheduleId}`);
    }
    run.calls.push(name);
    return run;
  };
  return {
    startScheduledSession: async (due) => {
      const isStarted = begin('start', due).hasSession;
      const session = { workspaceId: 'workspace-1', sessionId: 'session-1' };
      const shown = { subject: 'demo/writer', searchAttributesKnown: true };
      return { isStarted, owner: isStarted ? { ...session, ...shown } : null };
    },
    lookAtScheduledSession: async (due) => ({ hasEnded: begin('look', due).hasEnded }),
    endScheduledSession: async (due) => {
      begin('end', due).hasEnded = true;
    },
  };
}
