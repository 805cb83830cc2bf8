import * as z from 'zod';
import { type Named, named, toolScope } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { decodeCursor } from '../page-cursor.ts';
import { readPage } from '../read-page.ts';
import { readRows } from '../read-rows.ts';

/** Agents that attach the entry, by name. Throws InvalidCursorError. */
export async function listAttachingAgents(db: Db, entryId: string, page: PageQuery): Promise<Page<Named>> {
  const after = decodeCursor(page.cursor, z.string());
  const query = attachingAgents(db, entryId).modify(
    (query) => after !== null && query.where('a.name', '>', after),
  );
  const { rows, nextCursor } = await readPage(db, query, named, page.limit, ({ name }) => name);
  return { items: rows, nextCursor };
}

/** Every agent that attaches the entry, by name. */
export async function listAllAttachingAgents(db: Db, entryId: string): Promise<Named[]> {
  return readRows(attachingAgents(db, entryId), named);
}

function attachingAgents(db: Db, entryId: string) {
  return db('agent_mcp_attachments as t')
    .join('agents as a', 'a.id', 't.agent_id')
    .where('t.mcp_server_id', entryId)
    .orderBy('a.name')
    .select('a.id', 'a.name');
}

/** Names of the secrets that are restricted to certain entries, including this one. */
export async function listSecretsOfEntry(db: Db, workspaceId: string, entryName: string): Promise<string[]> {
  return db('workspace_secrets')
    .where({ workspace_id: workspaceId })
    .whereRaw('? = any(allowed_servers)', [entryName])
    .orderBy('name')
    .pluck('name');
}

/** Scopes that the entry gates tools with, today or in the configuration of a session that still runs. */
export async function listGatingScopes(db: Db, workspaceId: string, entryId: string): Promise<string[]> {
  const statement = db.raw(
    `select scope from mcp_server_tools where mcp_server_id = :entryId
     union
     select gate.scope from sessions
     join session_tools gate on gate.session_id = sessions.id
     where sessions.workspace_id = :workspaceId and sessions.ended_at is null and gate.entry_id = :entryId
     order by scope`,
    { workspaceId, entryId },
  );
  const rows = await readRows(statement, z.object({ scope: toolScope }));
  return rows.map(({ scope }) => scope);
}
