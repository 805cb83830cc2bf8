/** Where a session's sidecar reaches the API, and where it is reached. */
import type { Db } from '../database.ts';

/** Stores the API URL given to the session's sidecar. */
export async function setApiUrl(db: Db, id: string, url: string): Promise<void> {
  await db('sessions').where({ id }).update({ api_url: url });
}

/** Null when there is no such session; `apiUrl` is null for one that was not started yet. */
export async function readApiUrl(db: Db, id: string): Promise<{ apiUrl: string | null } | null> {
  const row = await db('sessions').where({ id }).first('api_url');
  return row === undefined ? null : { apiUrl: row.api_url };
}

/** Where the session's sidecar currently accepts input; a restarted sidecar reports another address. */
export async function setControlUrl(db: Db, id: string, url: string): Promise<void> {
  await db('sessions').where({ id }).update({ control_url: url });
}

export async function readControlUrl(db: Db, id: string): Promise<string | null> {
  const row = await db('sessions').where({ id }).first('control_url');
  return row?.control_url ?? null;
}
