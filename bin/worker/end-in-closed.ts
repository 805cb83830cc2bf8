import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { followSchedule } from '../../commands/schedules/follow.ts';
import { endInClosed } from '../../commands/workspaces/end-in-closed.ts';
import { sessionSignals } from '../../contract/workflows.ts';
import { readRegistrationSummary } from '../../store/sessions/workflow-summaries.ts';
import { listClosing } from '../../store/workspaces/closing.ts';
import type { Workflows } from '../../workflows/client.ts';
import type { Schedules } from '../../workflows/schedules-client.ts';

interface Ending {
  dependencies: Pick<ActivityDependencies, 'db' | 'log'>;
  workflows: Omit<Workflows, 'listRunning' | 'signalScheduledRun'>;
  schedules: Pick<Schedules, 'put' | 'remove'>;
}

/** Goes on with closed workspaces where the API did not come to the end. One that cannot be told now delays no other. */
export async function endInClosedWorkspaces({
  dependencies: { db, log },
  workflows,
  schedules,
}: Ending): Promise<void> {
  for (const workspaceId of await listClosing(db)) {
    await endInClosed(db, workspaceId, async (ended) => {
      for (const id of ended.sessionIds) {
        await workflows.signalSession(id, sessionSignals.terminate);
      }
      for (const id of ended.pausedScheduleIds) {
        await followSchedule(db, schedules, id);
      }
      for (const id of ended.registrationIds) {
        await workflows.reviseRegistration(id, await readRegistrationSummary(db, id));
      }
      for (const id of ended.checkIds) {
        await workflows.cancelCheck(id);
      }
    }).catch((err: unknown) =>
      log.warn({ err, workspace_id: workspaceId }, 'a closed workspace is looked at again'),
    );
  }
}
