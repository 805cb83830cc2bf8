import type { Schedule } from '../contract/schedule.ts';
import type { Schedules } from './schedules-client.ts';

/**
 * Makes Temporal's copy of a schedule what its row is now, or removes it. `read` gives the row, or null. A copy of a later version was written by somebody who read
 * a later row; when there is none after all, it is not the platform's own, since the versions of rows only count up, and is replaced. Throws what Temporal's
 * client throws.
 */
export async function followSchedule(
  schedules: Pick<Schedules, 'put' | 'remove'>,
  read: (id: string) => Promise<Schedule | null>,
  id: string,
): Promise<void> {
  const row = await read(id);
  if (row === null) {
    await schedules.remove(id);
    return;
  }
  if (await schedules.put(row)) {
    return;
  }
  const now = await read(id);
  await (now === null
    ? schedules.remove(id)
    : schedules.put(now, { overwrites: now.version === row.version }));
}
