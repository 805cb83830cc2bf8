import type { Logger } from 'pino';
import { followSchedule } from '../../commands/schedules/pause.ts';
import type { Db } from '../../store/database.ts';
import { followUp } from '../follow-up.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface FollowDependencies {
  db: Db;
  log: Logger;
  workflows: { schedules: Pick<WorkflowClient['schedules'], 'put' | 'remove'> };
}

/**
 * Has Temporal's copies follow rows that were changed. Rows count: where Temporal does not answer, a
 * worker's sweep makes up for it.
 */
export async function followSchedules(
  { db, log, workflows: { schedules } }: FollowDependencies,
  scheduleIds: readonly string[],
): Promise<void> {
  const follow = (id: string) =>
    followUp(log, followSchedule(db, schedules, id), {
      message: 'the schedule follows later',
      schedule_id: id,
    });
  await Promise.all(scheduleIds.map(follow));
}
