/** Reading channels: what admins decided of each, with the agents that may post. */
import * as z from 'zod';
import { type Channel, channel } from '../../contract/channel.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { decodeCursor } from '../page-cursor.ts';
import { readPage } from '../read-page.ts';
import { readRow } from '../read-rows.ts';

const shownChannels = `
  select c.id, c.name, c.kind, c.address, c.announce_permission_requests, c.created_at, c.updated_at, c.updated_by,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name) order by a.name)
      from channel_agents listed join agents a on a.id = listed.agent_id
      where listed.channel_id = c.id
    ), '[]') as agents
  from channels c where c.workspace_id = :workspaceId`;

const shown = (db: Db, workspaceId: string) =>
  db.select('*').from(db.raw(`(${shownChannels}) channels`, { workspaceId }));

/** A workspace's channels by name. Throws InvalidCursorError. */
export async function listChannels(db: Db, workspaceId: string, page: PageQuery): Promise<Page<Channel>> {
  const after = decodeCursor(page.cursor, z.string());
  const query = shown(db, workspaceId)
    .modify((query) => after !== null && query.where('name', '>', after))
    .orderBy('name');
  const { rows, nextCursor } = await readPage(db, query, channel, page.limit, ({ name }) => name);
  return { items: rows, nextCursor };
}

/** The channel of that name, or null. */
export function readChannel(db: Db, workspaceId: string, name: string): Promise<Channel | null> {
  return readRow(shown(db, workspaceId).where({ name }).first(), channel);
}

/** The names of the channels that the agent may post to, in order. */
export function listChannelNamesOfAgent(db: Db, workspaceId: string, agentId: string): Promise<string[]> {
  return db('channels')
    .where({ workspace_id: workspaceId })
    .whereIn('id', db('channel_agents').where({ agent_id: agentId }).select('channel_id'))
    .orderBy('name')
    .pluck('name');
}
