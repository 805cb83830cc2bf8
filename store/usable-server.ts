/**
 * What the platform needs of a database and sets nowhere itself, looked at before a process serves. What a
 * connection can set is set in `database.ts`, for each. Every message is one sentence that says what to do.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';
import * as z from 'zod';
import { migrationSource } from '../migrations/index.ts';
import type { Db } from './database.ts';
import { onlyRow, readRows } from './read-rows.ts';

/** The database does not meet this release's requirements; the message says what to do. */
export class UnusableDatabaseError extends Error {
  override name = 'UnusableDatabaseError';
}

/** The oldest version that the platform is tested with. */
export const oldestPostgres = 15;

/**
 * Processes whose rights are looked at; a command of the operator's does little, and
 * says itself what it may not.
 */
export type DatabaseUser = 'api' | 'worker' | 'command';

/** Throws UnusableDatabaseError when the process would fail on this database later on. */
export async function requireUsableDatabase(db: Knex, user: DatabaseUser): Promise<void> {
  await requireUsableServer(db);
  if (user !== 'command') {
    await requireRights(db, user);
  }
  await requireCurrentSchema(db);
  await requireSearchExtension(db);
}

const serverRow = z.object({
  version: z.int(),
  version_name: z.string(),
  database: z.string(),
  encoding: z.string(),
  role: z.string(),
  is_standby: z.boolean(),
  triggers: z.string(),
  schema: z.string().nullable(),
  search_path: z.string(),
});

/** What has to hold before anything is migrated. Throws UnusableDatabaseError. */
export async function requireUsableServer(db: Knex): Promise<void> {
  const statement = db.raw(`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as version_name,
      current_database()::text as database, current_setting('server_encoding') as encoding, quote_ident(current_user) as role,
      pg_is_in_recovery() as is_standby, current_setting('session_replication_role') as triggers,
      current_schema()::text as schema, current_setting('search_path') as search_path`);
  const server = onlyRow(await readRows(statement, serverRow));
  const problem = problemOf(server);
  if (problem !== null) {
    throw new UnusableDatabaseError(problem);
  }
  await requireOwnConnections(db);
}

function problemOf(server: z.infer<typeof serverRow>): string | null {
  const { database, role, encoding } = server;
  if (server.version < oldestPostgres * 10_000) {
    return `the database server is Postgres ${server.version_name}; the platform needs ${oldestPostgres} or later`;
  }
  if (encoding !== 'UTF8') {
    return `the database "${database}" has the encoding ${encoding}, and the platform needs UTF8: make another one with "create database NAME encoding 'UTF8' template template0", and name it in DATABASE_URL`;
  }
  if (server.is_standby) {
    return 'the database server is a standby, where nothing can be written: name its primary in DATABASE_URL';
  }
  if (server.triggers !== 'origin') {
    return `session_replication_role is "${server.triggers}", which turns off the rules that the database itself keeps: "alter role ${role} reset session_replication_role", and likewise for the database`;
  }
  if (server.schema === null) {
    return `the role ${role} may use no schema of its search_path (${server.search_path}): "grant usage on schema public to ${role}", or set the search_path of the role to the platform's schema`;
  }
  return null;
}

const seenValue = z.object({ value: z.string().nullable() });

/**
 * What a connection sets, its locks, its prepared statements and what it listens for have to last. Behind a
 * pooler that gives each transaction a connection of its choice, another of our connections sees what this
 * one set, or this one no longer does.
 */
async function requireOwnConnections(db: Knex): Promise<void> {
  const token = randomUUID();
  await withConnection(db, (one) =>
    withConnection(db, async (other) => {
      const seenBy = async (connection: pg.Client) => {
        const statement = connection.query("select current_setting('own.connection', true) as value");
        return onlyRow(await readRows(statement, seenValue)).value === token;
      };
      await one.query("select set_config('own.connection', $1, false)", [token]);
      // The third look is for poolers that take their connections in turns.
      const seen = [await seenBy(other), await seenBy(one), await seenBy(one)];
      if (seen.join() !== 'false,true,true') {
        throw new UnusableDatabaseError(
          'a pooler in front of the database does not keep a connection for who opened it: set it to session mode (PgBouncer: "pool_mode = session"), or name the database server itself in DATABASE_URL',
        );
      }
    }),
  );
}

/** One beside the pool, which may be of a single connection. */
async function withConnection(db: Knex, work: (connection: pg.Client) => Promise<void>): Promise<void> {
  const connect: () => Promise<pg.Client> = db.client.acquireRawConnection.bind(db.client);
  const connection = await connect();
  try {
    await work(connection);
  } finally {
    await db.client.destroyRawConnection(connection);
  }
}

const readAndWrite = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
/** Tables of which less is needed than to read and write, so that an operator may give less. */
const neededOf: Record<'api' | 'worker', Record<string, string[]>> = {
  api: { audit_events: ['SELECT', 'INSERT'], grants: ['SELECT', 'UPDATE'] },
  worker: {},
};
/** Of `migrations` a process only reads, and `migrations_lock` is knex's own. */
const ofMigrations = { migrations: ['SELECT'], migrations_lock: [] };
const namedProblems = 3;

/** The platform's tables and views are those beside `migrations` that have the same owner. */
async function requireRights(db: Knex, user: 'api' | 'worker'): Promise<void> {
  const statement = db.raw(
    `select class.relname::text as name, needed.privilege, quote_ident(current_user) as role, class.relnamespace::regnamespace::text as schema
     from pg_class known
     join pg_class class on class.relnamespace = known.relnamespace and class.relowner = known.relowner and class.relkind in ('r', 'v')
     cross join lateral jsonb_array_elements_text(
       case when class.relkind = 'v' then '["SELECT"]' else coalesce(cast(:special as jsonb) -> class.relname::text, cast(:usual as jsonb)) end
     ) as needed(privilege)
     where known.oid = to_regclass('migrations')
       and not case when needed.privilege = 'DELETE' then has_table_privilege(class.oid, needed.privilege)
         else has_any_column_privilege(class.oid, needed.privilege) end
     order by name, privilege`,
    { special: JSON.stringify({ ...ofMigrations, ...neededOf[user] }), usual: JSON.stringify(readAndWrite) },
  );
  const row = z.object({ name: z.string(), privilege: z.string(), role: z.string(), schema: z.string() });
  const missing = await readRows(statement, row);
  const [first] = missing;
  if (first !== undefined) {
    const named = missing.slice(0, namedProblems).map(({ name, privilege }) => `${privilege} on ${name}`);
    const rest = missing.length > namedProblems ? ` and ${missing.length - namedProblems} more` : '';
    throw new UnusableDatabaseError(
      `the role ${first.role} lacks rights (${named.join(', ')}${rest}): "grant select, insert, update, delete on all tables in schema ${first.schema} to ${first.role}", as the owner of the tables and after each upgrade`,
    );
  }
}

/** Throws UnusableDatabaseError when the schema is not the one that this code was written for. */
export async function requireCurrentSchema(db: Db): Promise<void> {
  const { known, applied, pending } = await readMigrations(db);
  if (pending.length > 0) {
    throw new UnusableDatabaseError(
      `the database lacks ${pending.length} migrations; bring it up to date first (dist/migrate.js)`,
    );
  }
  const newer = applied.filter((name) => !known.includes(name));
  if (newer.length > 0) {
    throw new UnusableDatabaseError(
      `the database was migrated by a later release (${newer.at(-1)}): start that one, or restore the backup that was taken before it`,
    );
  }
}

export async function hasPendingMigrations(db: Db): Promise<boolean> {
  return (await readMigrations(db)).pending.length > 0;
}

/**
 * All names in order. Throws UnusableDatabaseError where the schema has another beginning, to
 * which nothing can be added.
 */
async function readMigrations(db: Db): Promise<{ known: string[]; applied: string[]; pending: string[] }> {
  const known = await migrationSource.getMigrations([]);
  const applied = await appliedMigrations(db);
  const [first = ''] = known;
  const foreign = applied.find((name) => name < first);
  if (foreign !== undefined) {
    throw new UnusableDatabaseError(
      `the database was made before the first release (${foreign}), which cannot use it: start afresh with an empty one, which forgets everything ("rm -r .data", or the directory of DATA_DIR, before "npm start"; "docker compose down --volumes" with compose)`,
    );
  }
  return { known, applied, pending: known.filter((name) => !applied.includes(name)) };
}

/** None where nothing was ever migrated. */
async function appliedMigrations(db: Db): Promise<string[]> {
  const table = db.raw("select to_regclass('migrations') is not null as exists");
  if (!onlyRow(await readRows(table, z.object({ exists: z.boolean() }))).exists) {
    return [];
  }
  const query = db('migrations').orderBy('id').select('name');
  const rows = await readRows(query, z.object({ name: z.string() }));
  return rows.map(({ name }) => name);
}

const extensionRow = z.object({
  schema: z.string().nullable(),
  is_found: z.boolean(),
  role: z.string(),
  current: z.string(),
});

/**
 * The extension of the graph's search. Throws UnusableDatabaseError where statements do not find it,
 * or where it was removed.
 */
async function requireSearchExtension(db: Knex): Promise<void> {
  const found = await findSearchExtension(db);
  if (found.schema === null) {
    throw new UnusableDatabaseError(
      `the database lacks the extension pg_trgm: "create extension pg_trgm", as the owner of the database`,
    );
  }
  requireOnPath(found);
}

/** Reads where it is, if anywhere. */
async function findSearchExtension(db: Knex): Promise<z.infer<typeof extensionRow>> {
  const statement = db.raw(
    `select (select extnamespace::regnamespace::text from pg_extension where extname = 'pg_trgm') as schema,
       to_regprocedure('word_similarity(text, text)') is not null as is_found,
       quote_ident(current_user) as role, quote_ident(current_schema()) as current`,
  );
  return onlyRow(await readRows(statement, extensionRow));
}

function requireOnPath({ schema, is_found, role, current }: z.infer<typeof extensionRow>): void {
  if (schema !== null && !is_found) {
    throw new UnusableDatabaseError(
      `the extension pg_trgm is in the schema ${schema}, which the role ${role} does not search: "alter role ${role} set search_path = ${current}, ${schema}" and "grant usage on schema ${schema} to ${role}"`,
    );
  }
}

/**
 * What migrating needs beyond a usable server, where something is to be migrated.
 * Throws UnusableDatabaseError.
 */
export async function requireMigrationRights(db: Knex): Promise<void> {
  if (!(await hasPendingMigrations(db))) {
    return;
  }
  const statement = db.raw(
    `select quote_ident(current_user) as role, quote_ident(current_schema()) as schema,
       has_schema_privilege(current_schema(), 'CREATE') as may_create,
       (select quote_ident(pg_get_userbyid(relowner)) from pg_class
        where oid = to_regclass('migrations') and not pg_has_role(relowner, 'USAGE')) as owner`,
  );
  const row = z.object({
    role: z.string(),
    schema: z.string(),
    may_create: z.boolean(),
    owner: z.string().nullable(),
  });
  const { role, schema, may_create, owner } = onlyRow(await readRows(statement, row));
  if (owner !== null) {
    throw new UnusableDatabaseError(
      `the tables belong to the role ${owner}, and ${role} may not change them: migrate with a DATABASE_URL of ${owner}`,
    );
  }
  if (!may_create) {
    throw new UnusableDatabaseError(
      `the role ${role} may not create tables in the schema ${schema}: "grant create on schema ${schema} to ${role}", or migrate with a DATABASE_URL of the schema's owner`,
    );
  }
  requireOnPath(await findSearchExtension(db));
}
