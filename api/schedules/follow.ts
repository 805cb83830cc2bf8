import type { Logger } from 'pino';
import { followSchedule } from '../../commands/schedules/follow.ts';
import type { Db } from '../../store/database.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface FollowDependencies {
  db: Db;
  log: Logger;
  workflows: { schedules: Pick<WorkflowClient['schedules'], 'put' | 'remove'> };
}

/** Has Temporal's copies follow rows that were changed. Rows count: where Temporal does not answer, a worker's sweep makes up for it. */
export async function followSchedules(
  { db, log, workflows: { schedules } }: FollowDependencies,
  scheduleIds: readonly string[],
): Promise<void> {
  const follow = (id: string) => followSchedule(db, schedules, id);
  await Promise.all(
    scheduleIds.map((id) =>
      follow(id).catch((err: unknown) => log.warn({ err, schedule_id: id }, 'the schedule follows later')),
    ),
  );
}
