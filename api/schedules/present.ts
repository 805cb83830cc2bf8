/**
 * Schedules as people read them: with names, what the caller may do, and what is not for everybody left out.
 */
import type { Schedule, ShownSchedule } from '../../contract/schedule.ts';
import type { Db } from '../../store/database.ts';
import { readScheduleContexts } from '../../store/schedules/schedules.ts';
import { notFound } from '../errors.ts';
import { whyNotChangeSchedule } from '../policies/schedules.ts';
import type { InWorkspace } from '../route.ts';

type Visit = Pick<InWorkspace, 'user' | 'role'>;

/** Keeps the order given; omits schedules that were removed meanwhile. */
export async function presentSchedules(
  db: Db,
  { user, role }: Visit,
  schedules: readonly Schedule[],
): Promise<ShownSchedule[]> {
  const contexts = await readScheduleContexts(
    db,
    schedules.map(({ id }) => id),
  );
  return schedules.flatMap((schedule) => {
    const context = contexts.get(schedule.id);
    const mayChange = whyNotChangeSchedule({ userId: user.id, role }, schedule) === null;
    const { prompt, pause_note: note } = schedule;
    const inside = mayChange ? { prompt, pause_note: note } : { prompt: null, pause_note: null };
    return context === undefined ? [] : [{ ...schedule, ...inside, ...context, may_change: mayChange }];
  });
}

/** Throws 404 when the schedule was removed meanwhile. */
export async function presentSchedule(db: Db, visit: Visit, schedule: Schedule): Promise<ShownSchedule> {
  const [shown] = await presentSchedules(db, visit, [schedule]);
  if (shown === undefined) {
    throw notFound('The schedule');
  }
  return shown;
}
