/** What a session is called: by people, else by its prompt. */
import type { Knex } from 'knex';
import { titleStartCharacters } from '../../contract/session-title.ts';
import type { Db, Transaction } from '../database.ts';

/** Of `sessions as s`, as `title_start`: what `sessionTitle` makes a title of. */
export const titleStart = (db: Db): Knex.Raw =>
  db.raw(`coalesce(s.title, left(ltrim(s.prompt, E' \\t\\r\\n'), ?)) as title_start`, [titleStartCharacters]);

/** Locks the session until the transaction ends. Null for a session that does not exist. */
export async function lockTitle(
  trx: Transaction,
  sessionId: string,
): Promise<{ workspaceId: string; agentId: string; title: string | null } | null> {
  const row = await trx('sessions')
    .where({ id: sessionId })
    .forNoKeyUpdate()
    .first('workspace_id', 'agent_id', 'title');
  return row === undefined
    ? null
    : { workspaceId: row.workspace_id, agentId: row.agent_id, title: row.title };
}

/** Null takes a given name away: the prompt names it again. */
export async function updateTitle(trx: Transaction, sessionId: string, title: string | null): Promise<void> {
  await trx('sessions').where({ id: sessionId }).update({ title });
}
