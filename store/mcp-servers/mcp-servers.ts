/**
 * Entries of the catalog. A locked one stays as it is until the transaction ends; null where the workspace
 * has none of that name.
 */
import * as z from 'zod';
import { type McpServer, mcpServer } from '../../contract/catalog.ts';
import { type Named, named, toolScope } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db, Transaction } from '../database.ts';
import { decodeCursor, readPage } from '../page.ts';
import { readRows } from '../read-rows.ts';
import { nameForms } from '../shown-names.ts';

/** Columns of a catalog entry, as the contract names them. */
const mcpServerColumns = Object.keys(mcpServer.shape) as (keyof McpServer)[];

const jsonColumns = new Set(['shape', 'manifest', 'egress_allow', 'image_command', 'image_volumes']);

/** Parsed on every read: a row that does not fit the contract is refused. */
export function presentMcpServer(row: unknown): McpServer {
  return mcpServer.parse(row);
}

/**
 * Fields for an insert or update; JSON columns are given as text, since arrays would become Postgres arrays.
 */
function mcpServerRow(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      jsonColumns.has(name) ? JSON.stringify(value) : value,
    ]),
  );
}

/** The entry of this name, or null. */
export async function readMcpServer(db: Db, workspaceId: string, name: string): Promise<McpServer | null> {
  const row = await db('mcp_servers').where({ workspace_id: workspaceId, name }).first(mcpServerColumns);
  return row === undefined ? null : presentMcpServer(row);
}

/** The entries of a workspace by name. Throws InvalidCursorError. */
export async function listMcpServers(db: Db, workspaceId: string, page: PageQuery): Promise<Page<McpServer>> {
  const after = decodeCursor(page.cursor, z.string());
  const query = db('mcp_servers')
    .where({ workspace_id: workspaceId })
    .modify((query) => after !== null && query.where('name', '>', after))
    .orderBy('name')
    .select(mcpServerColumns);
  const entry = { parse: presentMcpServer };
  const { rows, nextCursor } = await readPage(db, query, entry, page.limit, ({ name }) => name);
  return { items: rows, nextCursor };
}

interface EntryKey {
  workspaceId: string;
  name: string;
}

/** No other transaction can use, change or remove the entry. */
export async function lockMcpServerForChange(trx: Transaction, key: EntryKey): Promise<McpServer | null> {
  const row: unknown = await entry(trx, key).forUpdate().first(mcpServerColumns);
  return row === undefined ? null : presentMcpServer(row);
}

/** The entry cannot be changed or removed; other transactions can use it, too. */
export async function lockMcpServerForUse(trx: Transaction, key: EntryKey): Promise<McpServer | null> {
  const row: unknown = await entry(trx, key).forShare().first(mcpServerColumns);
  return row === undefined ? null : presentMcpServer(row);
}

/**
 * Locks like `lockMcpServerForChange`, but returns the id only: an entry that does not fit the contract can
 * be removed.
 */
export async function lockMcpServerForRemoval(trx: Transaction, key: EntryKey): Promise<string | null> {
  const row = await entry(trx, key).forUpdate().first('id');
  return row?.id ?? null;
}

/** The entry cannot be removed or replaced until the transaction ends. False when it has been removed. */
export async function keepMcpServer(trx: Transaction, id: string): Promise<boolean> {
  const row = await trx('mcp_servers').where({ id }).forKeyShare().first('id');
  return row !== undefined;
}

const entry = (trx: Transaction, { workspaceId, name }: EntryKey) =>
  trx('mcp_servers').where({ workspace_id: workspaceId, name });

/** What an admin decides of an entry, with what was read from its image. */
export type DecidedFields = Omit<
  McpServer,
  'id' | 'name' | 'version' | 'created_at' | 'created_by' | 'updated_at' | 'updated_by'
>;

/** Null when the workspace has an entry of that name, or of one that looks like it. */
export async function insertMcpServer(
  trx: Transaction,
  { workspaceId, name, fields, userId }: EntryKey & { fields: DecidedFields; userId: string },
): Promise<McpServer | null> {
  const [row] = await trx('mcp_servers')
    .insert({
      ...mcpServerRow(fields),
      workspace_id: workspaceId,
      name,
      ...nameForms(name),
      created_by: userId,
      updated_by: userId,
    })
    .onConflict()
    .ignore()
    .returning(mcpServerColumns);
  return row === undefined ? null : presentMcpServer(row);
}

/** Returns the entry as it is then. */
export async function updateMcpServerRow(
  trx: Transaction,
  id: string,
  { version, fields, userId }: { version: number; fields: DecidedFields; userId: string },
): Promise<McpServer> {
  const [row] = await trx('mcp_servers')
    .where({ id })
    .update({ ...mcpServerRow(fields), version, updated_at: trx.fn.now(), updated_by: userId })
    .returning(mcpServerColumns);
  return presentMcpServer(row);
}

/** Deletes an entry that no agent attaches; fails for any other. */
export async function deleteMcpServer(trx: Transaction, id: string): Promise<void> {
  await trx('mcp_servers').where({ id }).delete();
}

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
