/** Workers that run, as each reports itself. */
import * as z from 'zod';
import { type WorkerCapabilities, workerCapabilities } from '../../contract/available-runs.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** A worker reports itself this often. */
export const reportEveryMs = 15_000;
/** After this long without a report a worker is considered dead: several reports were missed. */
export const goneAfterSeconds = 60;
/** How long the System page still lists a dead worker. */
const rememberedFor = '1 day';

export const knownWorker = z.strictObject({
  id: uuid,
  capabilities: workerCapabilities,
  started_at: timestamp,
  seen_at: timestamp,
  /** Whether it has reported itself lately. */
  is_running: z.boolean(),
});
export type KnownWorker = z.infer<typeof knownWorker>;

/** Reports that the worker runs, and removes workers that have long been dead. Idempotent. */
export async function reportWorker(
  db: Db,
  { id, capabilities }: { id: string; capabilities: WorkerCapabilities },
): Promise<void> {
  await db('workers')
    .insert({ id, capabilities: JSON.stringify(capabilities) })
    .onConflict('id')
    .merge({ capabilities: JSON.stringify(capabilities), seen_at: db.fn.now() });
  await db('workers').whereRaw('seen_at < now() - ?::interval', [rememberedFor]).delete();
}

/** Removes a worker that shuts down gracefully. */
export async function forgetWorker(db: Db, id: string): Promise<void> {
  await db('workers').where({ id }).delete();
}

/**
 * Those that ran within the last day, the newest first. A row of a newer release that this one
 * cannot read is left out.
 */
export async function listWorkers(db: Db): Promise<KnownWorker[]> {
  const isRunning = db.raw('seen_at > now() - make_interval(secs => ?) as is_running', [goneAfterSeconds]);
  const query = db('workers')
    .select('id', 'capabilities', 'started_at', 'seen_at', isRunning)
    .orderBy('started_at', 'desc');
  return (await readRows(query, knownWorker.nullable().catch(null))).flatMap((worker) => worker ?? []);
}
