/**
 * What the platform assumes of a database is set for each connection, or said at the start in a
 * sentence that says what to do.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { assumedSettings, openDatabase } from '../../../store/database.ts';
import { migrate } from '../../../store/migrate.ts';
import {
  type DatabaseUser,
  oldestPostgres,
  requireUsableDatabase,
  requireUsableServer,
} from '../../../store/usable-server.ts';
import { hasVectorExtension } from '../../../store/vectors/pgvector.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';
import { startTransactionPooler } from '../../support/transaction-pooler.ts';

const role = `test_${randomBytes(6).toString('hex')}`;
let database: TestDatabase;
let server: Knex;

beforeAll(async () => {
  database = await createTestDatabase();
  server = openDatabase(process.env['TEST_POSTGRES_URL'] ?? '', { poolSize: 1 });
  await server.raw(`create role ${role} login password 'test'`);
});
afterAll(async () => {
  await database.drop();
  await server.raw(`drop role ${role}`);
  await server.destroy();
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);

function urlAs(name: string, url = database.url): string {
  const own = new URL(url);
  own.username = name;
  own.password = 'test';
  return own.href;
}

async function withDatabase<Result>(url: string, work: (db: Knex) => Promise<Result>): Promise<Result> {
  const db = openDatabase(url, { poolSize: 2 });
  return work(db).finally(() => db.destroy());
}

const startAs = (user: DatabaseUser, url = urlAs(role)) =>
  withDatabase(url, (db) => requireUsableDatabase(db, user));

describe('a setting', () => {
  const others: Record<keyof typeof assumedSettings, string> = {
    client_encoding: 'LATIN1',
    DateStyle: 'German',
    IntervalStyle: 'sql_standard',
    TimeZone: 'Asia/Kolkata',
    bytea_output: 'escape',
    extra_float_digits: '-15',
    standard_conforming_strings: 'off',
    array_nulls: 'off',
    transform_null_equals: 'on',
    gin_fuzzy_search_limit: '1',
    default_transaction_isolation: 'serializable',
    default_transaction_read_only: 'on',
    default_transaction_deferrable: 'on',
  };
  const settings = Object.entries(others);

  it.each(settings)('%s that the database has otherwise is set for each connection', async (name, other) => {
    const own = nameOf(database.url);
    await server.raw(`alter database ${own} set ${name} = '${other}'`);
    try {
      const { rows } = await withDatabase(database.url, async (db) => db.raw(`show ${name}`));
      expect(Object.values(rows[0])).toEqual([assumedSettings[name as keyof typeof assumedSettings]]);
    } finally {
      await server.raw(`alter database ${own} reset ${name}`);
    }
  });

  it('of the role, too, and what is written reads the same', async () => {
    for (const [name, other] of settings) {
      await server.raw(`alter role ${role} set ${name} = '${other}'`);
    }
    await database.db.raw(`grant select, insert, update, delete on all tables in schema public to ${role}`);
    try {
      await startAs('api');
      await withDatabase(urlAs(role), async (db) => {
        const tenant = await createTenant(db, testMasterKeys());
        const session = await tenant.session(await tenant.agent({ name: 'Zoë 名' }));
        expect(Math.abs(Date.parse(session.created_at) - Date.now())).toBeLessThan(3_600_000);
        const { rows } = await db.raw(
          `select '1.5 2 3'::text as text, 0.1::float8 as number, '\\xff00'::bytea as bytes, name from agents where name like 'Zo%'`,
        );
        expect(rows).toEqual([
          { text: '1.5 2 3', number: 0.1, bytes: Buffer.from([255, 0]), name: 'Zoë 名' },
        ]);
      });
    } finally {
      await server.raw(`alter role ${role} reset all`);
      await database.db.raw(`revoke all on all tables in schema public from ${role}`);
    }
  });
});

describe('a database', () => {
  it.each(['LATIN1', 'SQL_ASCII'])(
    'of the encoding %s is refused before anything is made in it',
    async (encoding) => {
      const name = `test_${randomBytes(8).toString('hex')}`;
      await server.raw(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
      const url = database.url.replace(/[^/]*$/, name);
      try {
        for (const start of [migrate, requireUsableServer]) {
          await expect(withDatabase<unknown>(url, start)).rejects.toThrow(
            `the database "${name}" has the encoding ${encoding}, and the platform needs UTF8: make another one`,
          );
        }
        const { rows } = await withDatabase(url, async (db) =>
          db.raw(`select to_regclass('migrations') as made`),
        );
        expect(rows).toEqual([{ made: null }]);
      } finally {
        await server.raw(`drop database ${name} with (force)`);
      }
    },
  );

  it('whose triggers are turned off is refused', async () => {
    await server.raw(`alter database ${nameOf(database.url)} set session_replication_role = replica`);
    try {
      await expect(startAs('worker', database.url)).rejects.toThrow(
        'session_replication_role is "replica", which turns off the rules',
      );
    } finally {
      await server.raw(`alter database ${nameOf(database.url)} reset session_replication_role`);
    }
  });

  it('of a server that is too old is refused', async () => {
    await database.db.raw(`create schema older;
      create function older.current_setting(text) returns text language sql as
        $$ select case $1 when 'server_version_num' then '140009' when 'server_version' then '14.9' else 'off' end $$;`);
    const url = `${database.url}?options=-c search_path=older,pg_catalog,public`;
    await expect(startAs('command', url)).rejects.toThrow(
      `is Postgres 14.9; the platform needs ${oldestPostgres} or later`,
    );
    await database.db.raw('drop schema older cascade');
  });
});

describe('an extension', () => {
  it('that was removed, or is in a schema that is not searched, is named', async () => {
    const other = await createTestDatabase();
    try {
      await other.db.raw('create schema extensions; alter extension pg_trgm set schema extensions');
      for (const user of ['api', 'worker'] as const) {
        await expect(startAs(user, other.url)).rejects.toThrow(
          /pg_trgm is in the schema extensions, which the role .* does not search: "alter role .* set search_path = public, extensions"/,
        );
      }
      await startAs('api', `${other.url}?options=-c search_path=public,extensions`);
      await other.db.raw('drop extension pg_trgm cascade');
      await expect(startAs('api', other.url)).rejects.toThrow(
        'lacks the extension pg_trgm: "create extension pg_trgm"',
      );
    } finally {
      await other.drop();
    }
  });

  it('that is not searched is named before anything is migrated', async () => {
    const empty = await createEmptyDatabase();
    try {
      await empty.db.raw('create schema extensions; create extension pg_trgm schema extensions');
      await expect(migrate(empty.db)).rejects.toThrow('pg_trgm is in the schema extensions');
      const searched = `${empty.url}?options=-c search_path=public,extensions`;
      const { applied } = await withDatabase(searched, migrate);
      expect(applied).toContain('20261129101100_create_shared_data');
      await startAs('worker', searched);
    } finally {
      await empty.drop();
    }
  });

  it('for vectors that statements do not find is not used', async () => {
    const other = await createTestDatabase();
    try {
      await other.db.raw(`insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
        values (99999, 'vector', 10, 'public'::regnamespace, true, '0.8.0')`);
      expect(await hasVectorExtension(other.db)).toBe(false);
      await other.db.raw('create type halfvec as (x int)');
      expect(await hasVectorExtension(other.db)).toBe(true);
    } finally {
      await other.drop();
    }
  });
});

describe('a role', () => {
  const grant = (what: string) => database.db.raw(`grant ${what} to ${role}`);
  const revoke = (what: string) => database.db.raw(`revoke ${what} from ${role}`);
  const tables = 'on all tables in schema public';

  it.each(['api', 'worker'] as const)('that may only read and write does for the %s', async (user) => {
    await grant(`select, insert, update, delete ${tables}`);
    await startAs(user);
    await revoke(`all ${tables}`);
  });

  it('that may do nothing, or only read, is told what to grant', async () => {
    const remedy = `"grant select, insert, update, delete on all tables in schema public to ${role}"`;
    await expect(startAs('api')).rejects.toThrow(remedy);
    await grant(`select ${tables}`);
    await expect(startAs('worker')).rejects.toThrow(/DELETE on agent_mcp_attachments.* and \d+ more/);
    await startAs('command');
    await revoke(`all ${tables}`);
  });

  it('that lacks the rights of one new table is told which', async () => {
    await grant(`select, insert, update, delete ${tables}`);
    await revoke('insert on sessions');
    await revoke('select on active_grants');
    await expect(startAs('worker')).rejects.toThrow(
      `the role ${role} lacks rights (SELECT on active_grants, INSERT on sessions): `,
    );
    await revoke(`all ${tables}`);
  });

  it('needs no right that only another process uses', async () => {
    await grant(`select, insert, update, delete ${tables}`);
    await revoke('insert, delete on grants');
    await revoke('update, delete on audit_events');
    await revoke('insert, update, delete on migrations');
    await revoke('all on migrations_lock');
    await startAs('api');
    await expect(startAs('worker')).rejects.toThrow(
      'DELETE on audit_events, UPDATE on audit_events, DELETE on grants and 1 more)',
    );
    await revoke(`all ${tables}`);
  });

  it('that may use no schema is told so', async () => {
    await database.db.raw('revoke usage on schema public from public');
    try {
      await expect(startAs('api')).rejects.toThrow(
        `the role ${role} may use no schema of its search_path ("$user", public): "grant usage on schema public to ${role}"`,
      );
    } finally {
      await database.db.raw('grant usage on schema public to public');
    }
  });

  it('may migrate when there is something to do only as the owner, or with a schema to create in', async () => {
    await grant(`select, insert, update, delete ${tables}`);
    expect(await withDatabase(urlAs(role), migrate)).toEqual({ applied: [] });
    await database
      .db('migrations')
      .where({ name: '20261129101100_create_shared_data' })
      .update({ name: 'other' });
    await expect(withDatabase(urlAs(role), migrate)).rejects.toThrow(
      `and ${role} may not change them: migrate with a DATABASE_URL of `,
    );
    await revoke(`all ${tables}`);
    const empty = await createEmptyDatabase();
    await expect(withDatabase(urlAs(role, empty.url), migrate)).rejects.toThrow(
      `the role ${role} may not create tables in the schema public: "grant create on schema public to ${role}"`,
    );
    await empty.drop();
    await database
      .db('migrations')
      .where({ name: 'other' })
      .update({ name: '20261129101100_create_shared_data' });
  });
});

describe('a pooler that gives each transaction another connection', () => {
  it.each([
    [1, 'latest'],
    [2, 'latest'],
    [2, 'in turns'],
    [3, 'in turns'],
    [5, 'in turns'],
  ] as const)('of %i connections, the %s first, is refused', async (servers, order) => {
    const pooler = await startTransactionPooler(database.url, { servers, order });
    try {
      for (const start of [migrate, requireUsableServer]) {
        await expect(withDatabase<unknown>(pooler.url, start)).rejects.toThrow(
          'does not keep a connection for who opened it: set it to session mode',
        );
      }
    } finally {
      await pooler.close();
    }
  });
});
