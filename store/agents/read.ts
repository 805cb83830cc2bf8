/** Reading agents. */
import * as z from 'zod';
import { type Agent, agent } from '../../contract/agent.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { decodeCursor } from '../page-cursor.ts';
import { readPage } from '../read-page.ts';
import { agentColumns, presentAgent } from './row.ts';

/** The agent, or null. The caller checks that its workspace is the right one. */
export async function readAgent(db: Db, id: string): Promise<Agent | null> {
  const row = await db('agents').where({ id }).first(agentColumns);
  return row === undefined ? null : presentAgent(row);
}

/** The agent, locked until the transaction ends, so that edits and new sessions of it wait for each other. */
export async function lockAgent(db: Db, id: string): Promise<Agent | null> {
  const row = await db('agents').where({ id }).forUpdate().first(agentColumns);
  return row === undefined ? null : presentAgent(row);
}

/** A workspace's agents by name; `archived` selects those that are, or are not. Throws InvalidCursorError. */
export async function listAgents(
  db: Db,
  workspaceId: string,
  { archived, ...page }: PageQuery & { archived?: boolean | undefined },
): Promise<Page<Agent>> {
  const after = decodeCursor(page.cursor, z.string());
  const query = db('agents')
    .where({ workspace_id: workspaceId })
    .modify((query) => archived !== undefined && query.whereRaw('(archived_at is not null) = ?', [archived]))
    .modify((query) => after !== null && query.where('name', '>', after))
    .orderBy('name')
    .select(agentColumns);
  const { rows, nextCursor } = await readPage(db, query, agent, page.limit, ({ name }) => name);
  return { items: rows, nextCursor };
}
