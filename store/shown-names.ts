/**
 * Names that readers have to tell apart: of agents, schedules and catalog entries, each unique in its workspace by two forms. Two names are the same when they
 * differ in case, width, invisible characters and lookalikes of other scripts alone, or when they look the same as they are written (UTS #39).
 */
import unhomoglyph from 'unhomoglyph';
import * as z from 'zod';
import { cleanedName, maxShownName } from '../contract/shown-name.ts';
import { appendAuditEvent } from './audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from './database.ts';
import { readRow, readRows } from './read-rows.ts';

const kinds = {
  agents: { type: 'agent', event: 'agent.updated', renames: true },
  schedules: { type: 'schedule', event: 'schedule.updated', renames: true },
  /** Agents call tools by it, and it is written in small ASCII letters: an entry keeps its name, and its forms get the number. */
  mcp_servers: { type: 'mcp_server', event: 'workspace.mcp.updated', renames: false },
} as const;
export type NamedTable = keyof typeof kinds;

export interface NameForms {
  /** The same of names that differ in case, width, what nobody sees and letters of other scripts. */
  name_caseless: string;
  /** The same of names that look the same as they are written, such as `l` and `I`. */
  name_seen: string;
  /** The name that these are of. */
  name_folded: string;
}

const quotationMarks = /["\p{Quotation_Mark}\u02ba\u02dd\u02ee\u05f4\u2033\u2036\u3003]/gu;
const caseFolded = (text: string) => text.toUpperCase().toLowerCase();
/** The skeleton of UTS #39. */
const skeletonOf = (text: string) => unhomoglyph(text.normalize('NFD')).normalize('NFD');

export function nameForms(name: string): NameForms {
  // A message to a channel writes each quotation mark as one sign, and brackets where an address would become a link.
  const plain = cleanedName(name)
    .replace(/[\u200c\u200d]/g, '')
    .normalize('NFKC')
    .replace(quotationMarks, "'")
    .replace(/\u3002/g, '.')
    .replace(/\[|\] */g, '');
  const form = (text: string) => text.replace(/'+/g, "'").replace(/\s+/g, ' ').trim();
  return {
    name_caseless: form(caseFolded(skeletonOf(caseFolded(plain)))),
    name_seen: form(caseFolded(skeletonOf(plain))),
    name_folded: name,
  };
}

/** The name in the workspace that is this one, or that readers would take for it; null where there is none. */
export async function findSimilarName(
  db: Db,
  table: NamedTable,
  { workspaceId, name, exceptId = null }: { workspaceId: string; name: string; exceptId?: string | null },
): Promise<string | null> {
  const { name_caseless: caseless, name_seen: seen } = nameForms(name);
  const found = db.raw(
    `select name from ${table} where workspace_id = :workspaceId and id is distinct from :exceptId::uuid
       and (name = :name or name_caseless = :caseless or name_seen = :seen)
     order by name <> :name, created_at limit 1`,
    { workspaceId, exceptId, name, caseless, seen },
  );
  return (await readRows(found, z.object({ name: z.string() })))[0]?.name ?? null;
}

const unfolded = z.object({ id: z.uuid(), name: z.string() });
const taken = z.object({ name: z.string(), name_caseless: z.string(), name_seen: z.string() });

/**
 * Writes the forms of names that have none: those from before there were any, and what a release without them has written since. Of names that
 * are the same the older one stays, and the others get a number. Each name that is changed is audited.
 */
export async function foldNames(trx: Transaction, table: NamedTable, workspaceId: string): Promise<void> {
  const rows = await readRows(
    trx.raw(
      `select id, name from ${table} where workspace_id = ? and name_folded is distinct from name
       order by created_at, id for update`,
      [workspaceId],
    ),
    unfolded,
  );
  if (rows.length === 0) {
    return;
  }
  const others = await readRows(
    trx.raw(
      `select name, name_caseless, name_seen from ${table} where workspace_id = ? and name_folded = name`,
      [workspaceId],
    ),
    taken,
  );
  // What their old forms were is in nobody's way.
  await trx.raw(`update ${table} set name_caseless = null, name_seen = null where id = any(?::uuid[])`, [
    rows.map(({ id }) => id),
  ]);
  const names = new Set([...others, ...rows].map(({ name }) => name));
  const forms = new Set(others.flatMap((each) => keysOf(each)));
  const wanted = new Set(rows.flatMap(({ name }) => keysOf(numbered(table, name, 1).forms)));
  for (const { id, name } of rows) {
    const next = firstFree(table, name, { names, forms, wanted });
    names.add(next.name);
    for (const key of keysOf(next.forms)) {
      forms.add(key);
    }
    await write(trx, table, { workspaceId, id, before: name, ...next });
  }
}

const keysOf = (forms: Pick<NameForms, 'name_caseless' | 'name_seen'>) => [
  `caseless ${forms.name_caseless}`,
  `seen ${forms.name_seen}`,
];

interface Found {
  name: string;
  forms: NameForms;
}

/** What others in the same turn are called is not taken from them by a number. */
function firstFree(
  table: NamedTable,
  before: string,
  { names, forms, wanted }: Record<'names' | 'forms' | 'wanted', ReadonlySet<string>>,
): Found {
  for (let number = 1; ; number += 1) {
    const found = numbered(table, before, number);
    const isAnothers = found.name !== before && names.has(found.name);
    const keys = keysOf(found.forms);
    if (!isAnothers && !keys.some((key) => forms.has(key) || (number > 1 && wanted.has(key)))) {
      return found;
    }
  }
}

function numbered(table: NamedTable, before: string, number: number): Found {
  const { type, renames } = kinds[table];
  const suffix = number === 1 ? '' : ` ${number}`;
  if (renames) {
    const clean = cleanedName(before) || type;
    const name = `${clean
      .slice(0, maxShownName - suffix.length)
      .toWellFormed()
      .trim()}${suffix}`;
    return { name, forms: nameForms(name) };
  }
  const { name_caseless: caseless, name_seen: seen, name_folded } = nameForms(before);
  return {
    name: before,
    forms: { name_caseless: `${caseless}${suffix}`, name_seen: `${seen}${suffix}`, name_folded },
  };
}

async function write(
  trx: Transaction,
  table: NamedTable,
  { workspaceId, id, before, name, forms }: Found & { workspaceId: string; id: string; before: string },
): Promise<void> {
  await trx.raw(
    `update ${table} set name = :name, name_caseless = :caseless, name_seen = :seen, name_folded = :name where id = :id`,
    { id, name, caseless: forms.name_caseless, seen: forms.name_seen },
  );
  if (name !== before) {
    const { type, event } = kinds[table];
    await appendAuditEvent(trx, {
      ...{ workspaceId, event, actor: { type: 'system', id: null }, resource: { type, id, name } },
      data: { changed: ['name'], name_before: before },
    });
  }
}

/** `foldNames` for every workspace, each in a transaction of its own. */
export async function foldAllNames(db: Db): Promise<void> {
  for (const table of Object.keys(kinds) as NamedTable[]) {
    let workspaceId = await nextUnfolded(db, table);
    while (workspaceId !== null) {
      const of = workspaceId;
      await inTransaction(db, (trx) => foldNames(trx, table, of));
      workspaceId = await nextUnfolded(db, table);
    }
  }
}

async function nextUnfolded(db: Db, table: NamedTable): Promise<string | null> {
  const found = await readRow(
    db(table).whereRaw('name_folded is distinct from name').orderBy('workspace_id').first('workspace_id'),
    z.object({ workspace_id: z.string() }),
  );
  return found?.workspace_id ?? null;
}
