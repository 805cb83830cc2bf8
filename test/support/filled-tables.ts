/**
 * One row in every table of a database, each of which refers to the others wherever a foreign key lets it.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import * as z from 'zod';
import { readRows } from '../../store/read-rows.ts';

type Row = Record<string, unknown>;

const column = z.object({
  table: z.string(),
  column: z.string(),
  type: z.string(),
  must: z.boolean(),
  choices: z.string().nullable(),
});
type Column = z.infer<typeof column>;

const reference = z.object({
  table: z.string(),
  columns: z.array(z.string()),
  referenced: z.string(),
  referencedColumns: z.array(z.string()),
});
type Reference = z.infer<typeof reference>;

const columnsOfTables = `
  select c.relname as table, a.attname as column, t.typname as type,
    a.attnotnull and not a.atthasdef and a.attidentity = '' as must,
    (select pg_get_constraintdef(k.oid) from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
        and (pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%' or pg_get_constraintdef(k.oid) like '%= ''%') limit 1) as choices
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'migrations%'
  order by c.relname, a.attnum`;

const namesOf = (relation: string, numbers: string) =>
  `(select json_agg(a.attname order by place) from unnest(${numbers}) with ordinality as n (number, place)
    join pg_attribute a on a.attrelid = ${relation} and a.attnum = n.number)`;

const referencesOfTables = `
  select k.conrelid::regclass::text as table, ${namesOf('k.conrelid', 'k.conkey')} as columns,
    k.confrelid::regclass::text as referenced, ${namesOf('k.confrelid', 'k.confkey')} as "referencedColumns"
  from pg_constraint k
  where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conrelid <> k.confrelid
  order by k.conname`;

/** What a table refers to without a foreign key. */
const withoutForeignKey: Reference[] = [
  { table: 'grant_uses', columns: ['session_id'], referenced: 'sessions', referencedColumns: ['id'] },
  { table: 'grant_uses', columns: ['grant_id'], referenced: 'grants', referencedColumns: ['id'] },
];

const valueByType: Record<string, () => unknown> = {
  bool: () => false,
  bytea: () => Buffer.from('00', 'hex'),
  date: () => '2026-01-31',
  int4: () => 1,
  int8: () => 1,
  jsonb: () => '{}',
  text: () => 'text',
  timestamptz: () => new Date().toISOString(),
  uuid: () => randomUUID(),
  _float4: () => [1],
  _text: () => [],
};

/** What the constraints of a table need beyond types, choices and foreign keys. */
const needs: Record<string, Row> = {
  channel_messages: { kind: 'permission_request' },
  decisions: { kind: 'deny' },
  grants: { user_subject_id: null, scope: 'session' },
  mcp_servers: { network: 'none' },
  session_inputs: { kind: 'user_message' },
  sign_in_renewals: { refused_at: new Date(0).toISOString() },
  tool_definitions: { part: 'tool' },
  vector_collections: { embedder: 'given' },
  workspace_secrets: { name: 'A_SECRET' },
};

/**
 * Inserts the rows, and returns each by its table's name. Fails for a table whose constraints
 * need more than `needs` says.
 */
export async function fillEveryTable(db: Knex): Promise<ReadonlyMap<string, Row>> {
  const columns = new Map<string, Column[]>();
  for (const each of await readRows(db.raw(columnsOfTables), column)) {
    columns.set(each.table, [...(columns.get(each.table) ?? []), each]);
  }
  const references = [...(await readRows(db.raw(referencesOfTables), reference)), ...withoutForeignKey];
  const rows = new Map<string, Row>();
  while (rows.size < columns.size) {
    const next = [...columns.keys()].find(
      (table) =>
        !rows.has(table) && references.every((each) => each.table !== table || rows.has(each.referenced)),
    );
    if (next === undefined) {
      throw new Error('the foreign keys of some tables go round in a circle');
    }
    const own = references.filter(({ table }) => table === next);
    const [row] = await db(next)
      .insert(rowFor(next, columns.get(next) ?? [], own, rows))
      .returning('*');
    rows.set(next, row);
  }
  return rows;
}

function rowFor(
  table: string,
  columns: readonly Column[],
  references: readonly Reference[],
  rows: ReadonlyMap<string, Row>,
): Row {
  const required = columns.filter(({ must }) => must).map((each) => [each.column, filledValue(each)]);
  const referring = references.flatMap(({ columns: names, referenced, referencedColumns }) =>
    names.map((name, at) => [name, rows.get(referenced)?.[referencedColumns[at] ?? '']]),
  );
  return { ...Object.fromEntries(required), ...Object.fromEntries(referring), ...needs[table] };
}

function filledValue({ type, choices }: Column): unknown {
  const [, choice] = (type === 'text' && /'([\w-]+)'::text/.exec(choices ?? '')) || [];
  return choice ?? valueByType[type]?.();
}
