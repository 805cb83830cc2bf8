/** Definitions of an entry's version, and which entries have some that wait for an admin. */
import * as z from 'zod';
import type { Page, PageQuery } from '../../contract/page.ts';
import {
  changedServer,
  type PinnedToolList,
  pinnedToolList,
  type ToolDefinition,
  type ToolDifference,
  toolDefinition,
  toolDifference,
} from '../../contract/tool-definitions.ts';
import type { Db } from '../database.ts';
import { decodeCursor, pageByTime, readPage } from '../page.ts';
import { readRow } from '../read-rows.ts';
import type { EntryVersion } from './record.ts';

/** Null when no complete list of the version has been seen. */
export function readPinnedList(db: Db, { entryId, version }: EntryVersion): Promise<PinnedToolList | null> {
  const query = db('pinned_tool_lists')
    .where({ mcp_server_id: entryId, version })
    .first('version', 'source', 'pinned_at', 'pinned_by');
  return readRow(query, pinnedToolList);
}

/** The accepted ones, the last seen first. Throws InvalidCursorError. */
export function listAcceptedDefinitions(
  db: Db,
  { entryId, version }: EntryVersion,
  page: PageQuery,
): Promise<Page<ToolDefinition>> {
  const query = db('tool_definitions').where({ mcp_server_id: entryId, version }).whereNotNull('accepted_at');
  return pageByTime(db, query, toolDefinition, 'seen_at', page);
}

/**
 * Those that wait for an admin, the last seen first, each beside what was accepted last.
 * Throws InvalidCursorError.
 */
export function listDifferences(
  db: Db,
  { entryId, version }: EntryVersion,
  page: PageQuery,
): Promise<Page<ToolDifference>> {
  const compared = db.raw(
    `(select d.*, case when accepted.digest is null then 'new' else 'changed' end as kind,
        case when accepted.digest is not null then
          jsonb_build_object('text', accepted.text, 'is_cut', accepted.is_cut) end as accepted
      from tool_definitions d left join lateral (
        select digest, text, is_cut from tool_definitions a
        where a.mcp_server_id = d.mcp_server_id and a.version = d.version and a.part = d.part and a.tool = d.tool
          and a.accepted_at is not null
        order by a.accepted_at desc, a.id limit 1
      ) as accepted on true
      where d.mcp_server_id = :entryId and d.version = :version and d.accepted_at is null) as compared`,
    { entryId, version },
  );
  return pageByTime(db, db.from(compared), toolDifference, 'seen_at', page);
}

/**
 * Entries with definitions that wait, by name, in the latest version that has any: the current one, or an
 * earlier one whose session, where it was first seen, still runs. Throws InvalidCursorError.
 */
export async function listChangedServers(
  db: Db,
  workspaceId: string,
  page: PageQuery,
): Promise<Page<z.infer<typeof changedServer>>> {
  const after = decodeCursor(page.cursor, z.string());
  const query = db('tool_definitions as d')
    .join('mcp_servers as s', 's.id', 'd.mcp_server_id')
    .leftJoin('sessions as running', (join) =>
      join.on('running.id', 'd.session_id').andOnNull('running.ended_at'),
    )
    .where('d.workspace_id', workspaceId)
    .whereNull('d.accepted_at')
    .whereRaw('(d.version = s.version or running.id is not null)')
    .modify((rows) => after !== null && rows.where('s.name', '>', after))
    .groupBy('s.id', 's.name', 'd.version')
    .orderBy([{ column: 's.name' }, { column: 'd.version', order: 'desc' }])
    .distinctOn('s.name')
    .select(
      's.id',
      's.name',
      'd.version',
      db.raw('count(*)::int as waiting'),
      db.raw('min(d.seen_at) as first_seen_at'),
    );
  const { rows, nextCursor } = await readPage(db, query, changedServer, page.limit, ({ name }) => name);
  return { items: rows, nextCursor };
}
