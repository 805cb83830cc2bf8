/**
 * What sidecars report of the tools of an entry and its version: the first complete list is pinned, later
 * definitions are compared, and an admin accepts them.
 */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import {
  definitionPart,
  type pinSource,
  type ToolListReport,
  toolListLimits,
} from '../../contract/tool-definitions.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';

/** One version of a catalog entry. */
export interface EntryVersion {
  workspaceId: string;
  entryId: string;
  version: number;
}

/** A definition as a sidecar reports it. */
export interface ReportedDefinition {
  part: 'tool' | 'instructions';
  /** Empty for instructions. */
  tool: string;
  digest: string;
  text: string;
  is_cut: boolean;
}

/**
 * In one order, so that two lists that are received at the same time wait for each other in one direction
 * only.
 */
export function definitionsOf({ tools, instructions }: ToolListReport): ReportedDefinition[] {
  const all = [
    ...tools.map(({ name, ...rest }) => ({ part: 'tool' as const, tool: name, ...rest })),
    ...(instructions === null ? [] : [{ part: 'instructions' as const, tool: '', ...instructions }]),
  ];
  const keyed = new Map(all.map((each) => [`${each.part} ${each.tool} ${each.digest}`, each]));
  return [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The definitions of `valuesOf` as rows of a statement. */
const givenDefinitions = `unnest(
    cast(:parts as text[]), cast(:tools as text[]), cast(:digests as text[]), cast(:texts as text[]), cast(:cuts as boolean[])
  ) as given (part, tool, digest, text, is_cut)`;

/** Values of a statement with `givenDefinitions`. */
const valuesOf = (definitions: readonly ReportedDefinition[]) => ({
  parts: definitions.map(({ part }) => part),
  tools: definitions.map(({ tool }) => tool),
  digests: definitions.map(({ digest }) => digest),
  texts: definitions.map(({ text }) => text),
  cuts: definitions.map(({ is_cut }) => is_cut),
});

interface Pin {
  source: z.infer<typeof pinSource>;
  /** Who started the check. */
  userId: string | null;
}

/** False when the version is pinned already, also by a transaction that ran at the same time. */
export async function pinToolList(trx: Transaction, entry: EntryVersion, pin: Pin): Promise<boolean> {
  const rows = await trx('pinned_tool_lists')
    .insert({ ...keyOf(entry), source: pin.source, pinned_by: pin.userId })
    .onConflict(['mcp_server_id', 'version'])
    .ignore()
    .returning('version');
  return rows.length > 0;
}

export async function isPinned(trx: Transaction, { entryId, version }: EntryVersion): Promise<boolean> {
  const row = await trx('pinned_tool_lists').where({ mcp_server_id: entryId, version }).first('version');
  return row !== undefined;
}

/** Accepts all of the first complete list. */
export async function insertAccepted(
  trx: Transaction,
  entry: EntryVersion,
  definitions: readonly ReportedDefinition[],
  { userId, sessionId }: { userId: string | null; sessionId: string | null },
): Promise<void> {
  await trx.raw(
    `insert into tool_definitions
       (workspace_id, mcp_server_id, version, session_id, accepted_by, accepted_at, part, tool, digest, text, is_cut)
     select :workspaceId, :entryId, :version, :sessionId, :userId, now(), given.* from ${givenDefinitions}
     on conflict do nothing`,
    { ...entry, ...valuesOf(definitions), userId, sessionId },
  );
}

const recorded = z.object({ part: definitionPart, tool: z.string() });

/**
 * Stores those that are not known of this version, as far as the limit of those that wait allows. They wait
 * for an admin. Returns which were stored now.
 */
export function insertWaiting(
  trx: Transaction,
  entry: EntryVersion,
  definitions: readonly ReportedDefinition[],
  sessionId: string | null,
): Promise<z.infer<typeof recorded>[]> {
  const statement = trx.raw(
    `insert into tool_definitions (workspace_id, mcp_server_id, version, session_id, part, tool, digest, text, is_cut)
     select :workspaceId, :entryId, :version, :sessionId, given.* from ${givenDefinitions}
     where not exists (
       select from tool_definitions known
       where known.mcp_server_id = :entryId and known.version = :version
         and (known.part, known.tool, known.digest) = (given.part, given.tool, given.digest)
     )
     order by given.part, given.tool, given.digest
     limit greatest(0, :most - (
       select count(*) from tool_definitions
       where workspace_id = :workspaceId and mcp_server_id = :entryId and version = :version and accepted_at is null
     ))
     on conflict do nothing
     returning part, tool`,
    { ...entry, ...valuesOf(definitions), sessionId, most: toolListLimits.waiting },
  );
  return readRows(statement, recorded);
}

const unaccepted = z.object({
  part: definitionPart,
  tool: z.string(),
  /** Null for one beyond the limit of those that wait. */
  id: uuid.nullable(),
  is_new: z.boolean(),
});
export type Unaccepted = z.infer<typeof unaccepted>;

/** Those that no admin has accepted; `is_new`: neither has any other definition of the tool been. */
export function listUnaccepted(
  trx: Transaction,
  entry: EntryVersion,
  definitions: readonly ReportedDefinition[],
): Promise<Unaccepted[]> {
  const accepted = `select from tool_definitions a
    where a.mcp_server_id = :entryId and a.version = :version and a.part = given.part and a.tool = given.tool
      and a.accepted_at is not null`;
  const statement = trx.raw(
    `select given.part, given.tool, d.id, not exists (${accepted}) as is_new
     from ${givenDefinitions} left join tool_definitions d on d.mcp_server_id = :entryId and d.version = :version
       and (d.part, d.tool, d.digest) = (given.part, given.tool, given.digest)
     where not exists (${accepted} and a.digest = given.digest)
     order by given.part, given.tool, given.digest`,
    { ...entry, ...valuesOf(definitions) },
  );
  return readRows(statement, unaccepted);
}

/** The agent of the session was shown these, so that its calls depend on them to the end of the session. */
export async function rememberShown(
  trx: Transaction,
  sessionId: string,
  differences: readonly Unaccepted[],
): Promise<void> {
  const ids = differences.flatMap(({ id }) => (id === null ? [] : [id]));
  await trx.raw(
    `insert into session_tool_differences (session_id, tool_definition_id)
     select :sessionId, id from unnest(cast(:ids as uuid[])) as shown (id)
     on conflict do nothing`,
    { sessionId, ids },
  );
}

/** What was seen and accepted of a version holds for the next one, which runs the same. */
export async function carryDefinitions(trx: Transaction, from: EntryVersion): Promise<void> {
  const next = from.version + 1;
  await trx.raw(
    `insert into pinned_tool_lists (workspace_id, mcp_server_id, version, source)
     select workspace_id, mcp_server_id, :next, 'earlier_version' from pinned_tool_lists
     where mcp_server_id = :entryId and version = :version`,
    { ...from, next },
  );
  await trx.raw(
    `insert into tool_definitions
       (workspace_id, mcp_server_id, version, part, tool, digest, text, is_cut, seen_at, session_id, accepted_at, accepted_by)
     select workspace_id, mcp_server_id, :next, part, tool, digest, text, is_cut, seen_at, session_id, accepted_at, accepted_by
     from tool_definitions where mcp_server_id = :entryId and version = :version`,
    { ...from, next },
  );
}

/**
 * The versions stay pinned: what a session of one lists from then on waits for an admin, and is not accepted
 * as its first list.
 */
export async function removeOldDefinitions(
  trx: Transaction,
  { entryId, version }: EntryVersion,
): Promise<void> {
  await trx('tool_definitions')
    .where({ mcp_server_id: entryId })
    .where('version', '<=', version - toolListLimits.versions)
    .delete();
}

const keyOf = ({ workspaceId, entryId, version }: EntryVersion) => ({
  workspace_id: workspaceId,
  mcp_server_id: entryId,
  version,
});

const known = z.object({ knows_all: z.boolean() });

/** Whether the version is pinned and has all of the list, accepted or not. */
export async function knowsDefinitions(
  db: Db,
  { entryId, version }: EntryVersion,
  report: ToolListReport,
): Promise<boolean> {
  const statement = db.raw(
    `select exists (select from pinned_tool_lists where mcp_server_id = :entryId and version = :version)
       and not exists (
         select from ${givenDefinitions}
         where not exists (
           select from tool_definitions d
           where d.mcp_server_id = :entryId and d.version = :version
             and (d.part, d.tool, d.digest) = (given.part, given.tool, given.digest)
         )
       ) as knows_all`,
    { entryId, version, ...valuesOf(definitionsOf(report)) },
  );
  return onlyRow(await readRows(statement, known)).knows_all;
}

const acceptedRow = z.object({ part: definitionPart, tool: z.string(), digest: z.string() });
export type AcceptedDefinition = z.infer<typeof acceptedRow>;

/**
 * Accepts those of the entry's definitions that wait, and the same ones of its other versions: what an admin
 * read is accepted, however often the entry was edited. Returns what was accepted now.
 */
export function acceptWaiting(
  trx: Transaction,
  entryId: string,
  ids: readonly string[],
  userId: string,
): Promise<AcceptedDefinition[]> {
  const statement = trx.raw(
    `with chosen as (
       select part, tool, digest from tool_definitions where mcp_server_id = :entryId and id = any (cast(:ids as uuid[]))
     )
     update tool_definitions d set accepted_at = now(), accepted_by = :userId
     from chosen
     where d.mcp_server_id = :entryId and d.accepted_at is null
       and (d.part, d.tool, d.digest) = (chosen.part, chosen.tool, chosen.digest)
     returning d.part, d.tool, d.digest`,
    { entryId, ids, userId },
  );
  return readRows(statement, acceptedRow);
}
