/** Channels and the agents that may post to them. */
import * as z from 'zod';
import { type Channel, type ChannelSettings, channel } from '../../contract/channel.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db, Transaction } from '../database.ts';
import { decodeCursor, readPage } from '../page.ts';
import { readRow } from '../read-rows.ts';

export interface ChannelKey {
  workspaceId: string;
  name: string;
}

export interface LockedChannel {
  id: string;
  name: string;
}

/** The id of the new channel; null when the workspace has one of that name. */
export async function insertChannel(
  trx: Transaction,
  { workspaceId, name }: ChannelKey,
  { kind, address, announce_permission_requests }: ChannelSettings,
  userId: string,
): Promise<string | null> {
  const rows = await trx('channels')
    .insert({
      ...{ workspace_id: workspaceId, name, kind, address, announce_permission_requests },
      updated_by: userId,
    })
    .onConflict(['workspace_id', 'name'])
    .ignore()
    .returning('id');
  return rows[0]?.id ?? null;
}

export async function updateChannel(
  trx: Transaction,
  id: string,
  { kind, address, announce_permission_requests }: ChannelSettings,
  userId: string,
): Promise<void> {
  await trx('channels')
    .where({ id })
    .update({
      ...{ kind, address, announce_permission_requests },
      updated_at: trx.fn.now(),
      updated_by: userId,
    });
}

/** Replaces the list of agents that may post. Each has to be of the workspace. */
export async function replaceListedAgents(
  trx: Transaction,
  { workspaceId, channelId }: { workspaceId: string; channelId: string },
  agentIds: readonly string[],
): Promise<void> {
  await trx('channel_agents').where({ channel_id: channelId }).delete();
  if (agentIds.length > 0) {
    await trx('channel_agents').insert(
      agentIds.map((id) => ({ workspace_id: workspaceId, channel_id: channelId, agent_id: id })),
    );
  }
}

/** Takes the agent off the list of every channel. The names of those that listed it. */
export async function unlistAgent(trx: Transaction, agentId: string): Promise<string[]> {
  const rows = await trx('channel_agents').where({ agent_id: agentId }).delete().returning('channel_id');
  return trx('channels')
    .whereIn(
      'id',
      rows.map(({ channel_id: id }) => id),
    )
    .orderBy('name')
    .pluck('name');
}

/** Messages that wait stay, and fail at their next attempt. */
export async function deleteChannel(trx: Transaction, id: string): Promise<void> {
  await trx('channels').where({ id }).delete();
}

/**
 * Nobody else changes, removes or posts to the channel until the transaction ends. Null when there is none of
 * that name.
 */
export async function lockChannel(
  trx: Transaction,
  { workspaceId, name }: ChannelKey,
): Promise<LockedChannel | null> {
  const row = await trx('channels')
    .where({ workspace_id: workspaceId, name })
    .forUpdate()
    .first('id', 'name');
  return row ?? null;
}

/** Whether the agent may post to the channel. Exact for one that is locked. */
export async function listsAgent(trx: Transaction, channelId: string, agentId: string): Promise<boolean> {
  const row = await trx('channel_agents')
    .where({ channel_id: channelId, agent_id: agentId })
    .first('agent_id');
  return row !== undefined;
}

/** Every channel of the workspace that announces permission requests, locked, always in the same order. */
export async function lockAnnouncingChannels(
  trx: Transaction,
  workspaceId: string,
): Promise<LockedChannel[]> {
  const rows = await trx('channels')
    .where({ workspace_id: workspaceId, announce_permission_requests: true })
    .orderBy('id')
    .forUpdate()
    .select('id', 'name');
  return rows;
}

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
