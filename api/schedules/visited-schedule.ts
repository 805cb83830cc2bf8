import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type Schedule, shownSchedule } from '../../contract/schedule.ts';
import type { Db } from '../../store/database.ts';
import { readSchedule } from '../../store/schedules/schedules.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { notFound, requireAllowed } from '../errors.ts';
import { whyNotChangeSchedule } from '../policies/schedules.ts';
import type { InWorkspace } from '../route.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface ScheduleDependencies extends Pick<ApiDependencies, 'db' | 'config' | 'log'> {
  workflows: Pick<WorkflowClient, 'schedules'>;
}

export const collection = '/workspaces/{slug}/schedules';
export const path = `${collection}/{schedule_id}`;
export const params = z.object({ schedule_id: uuid });
export const oneSchedule = z.strictObject({ schedule: shownSchedule });

/** Throws 404 for a schedule of another workspace, as for one that there is not. */
export async function visited(db: Db, { workspace }: InWorkspace, id: string): Promise<Schedule> {
  const schedule = await readSchedule(db, id);
  if (schedule?.workspace_id !== workspace.id) {
    throw notFound('The schedule');
  }
  return schedule;
}

/** The same for one that the visitor may change; throws 403 for another's. */
export async function changeable(db: Db, visit: InWorkspace, id: string): Promise<Schedule> {
  const schedule = await visited(db, visit, id);
  requireAllowed(whyNotChangeSchedule({ userId: visit.user.id, role: visit.role }, schedule));
  return schedule;
}
