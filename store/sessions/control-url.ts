import type { Db } from '../database.ts';

/** Where the session's sidecar currently accepts input; a restarted sidecar reports another address. */
export async function setControlUrl(db: Db, id: string, url: string): Promise<void> {
  await db('sessions').where({ id }).update({ control_url: url });
}

export async function readControlUrl(db: Db, id: string): Promise<string | null> {
  const row = await db('sessions').where({ id }).first('control_url');
  return row?.control_url ?? null;
}
