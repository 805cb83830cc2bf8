/** Pods of the previous release go on serving while an upgrade replaces them, on the schema that the new one has migrated. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { brokenRules, type MigrationRule, migrationRules } from './migration-rules.ts';

/** Migrations up to this one make the schema of the first release. */
const beforeTheRules = '20261122090000';

/** Why a migration may break a rule. One that was released is never edited. */
const exceptions: Record<string, Partial<Record<MigrationRule, string>>> = {
  '20261122100000_add_granted_by_role': {
    index: 'catalog entries are written by hand, some hundred in a workspace',
    'checked at once': 'one look at each grant, which people make one by one',
  },
  '20261122100100_keep_grants_of_others': {
    contraction: 'takes refusals away and nothing else: what the release before writes is still taken',
  },
  '20261122110000_limit_tool_calls': {
    'checked at once': 'a column of workspaces, of which an installation has some thousand at most',
  },
  '20261122110100_store_artifact_chunks': {
    index: 'one row for each file that agents handed out: much fewer than calls or events',
    'checked at once': 'one look at each row without its bytes, which are stored out of line',
  },
  '20261122120000_reference_registry_secrets': {
    rows: 'catalog entries are written by hand, and few name a private registry (docs/operations.md, "Upgrade")',
  },
  '20261122184500_keep_raw_listings_apart': {
    contraction: 'the constraint comes back wider in the same transaction',
    rows: 'listings of checks that run right now; each can be started again',
    'checked at once': 'checks are kept for a day, and a hundred of each workspace',
  },
  '20261126180000_create_oauth_authorizations': {
    index:
      'one row for each secret of a client and of a sign-in at a remote server, which came a release before',
    'checked at once': 'one look at each of these few rows, whose new column is null',
  },
  '20261125210000_create_tool_definitions': {
    'checked at once': 'catalog entries are written by hand, some hundred in a workspace',
  },
  '20261127060050_add_message_senders': {
    contraction: 'the constraint comes back wider in the same statement',
  },
  '20261128211000_archive_agents': {
    contraction: 'the two constraints come back wider in the same statements',
  },
  '20261129010100_close_workspaces': {
    contraction:
      'the constraints come back wider in the same statements; its triggers refuse rows of closed workspaces alone, which the release before cannot close',
  },
  '20261124100000_keep_uses_of_grants': {
    contraction:
      'a use of an ended session was refused before; its trigger only closes the gap of a check under way',
  },
};

const migrations = readdirSync('migrations')
  .filter((file) => /^\d{14}_/.test(file) && file.slice(0, 14) > beforeTheRules)
  .map((file) => file.replace(/\.ts$/, ''));

describe('a migration', () => {
  it.each(migrations)('%s only adds and blocks nothing, or its exceptions give the reason', (name) => {
    const broken = brokenRules(readFileSync(`migrations/${name}.ts`, 'utf8'));
    const excepted = exceptions[name] ?? {};
    const why = (rule: MigrationRule) => `${rule}: ${migrationRules[rule]}`;
    expect(broken.filter((rule) => excepted[rule] === undefined).map(why)).toEqual([]);
    expect(broken).toEqual(Object.keys(excepted));
  });

  it('has only exceptions that apply, each with a reason', () => {
    expect(migrations).toEqual(expect.arrayContaining(Object.keys(exceptions)));
    for (const reason of Object.values(exceptions).flatMap((each) => Object.values(each))) {
      expect(reason.split(' ').length).toBeGreaterThan(6);
    }
  });
});

const raw = (sql: string) => `export async function up(knex: Knex) { await knex.raw(\`${sql}\`); }
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table a');
}
`;

describe('the rules for migrations', () => {
  const planted: [sql: string, rule: MigrationRule][] = [
    ['alter table a drop column b', 'contraction'],
    ['drop table a', 'contraction'],
    ['alter table a rename column b to c', 'contraction'],
    ['alter table a alter column b set not null', 'contraction'],
    ['alter table a add column c text, drop constraint a_b_fkey', 'contraction'],
    ['update a set b = 1', 'rows'],
    ["update a set b = 1 where c = 'd'", 'rows'],
    ['update a x set b = c.d from c where c.id = x.c_id', 'rows'],
    ['delete from a where b is null', 'rows'],
    ['alter table a add column b text not null', 'not null'],
    ["alter table a add column b text default '', add column c numeric(3, 2) not null", 'not null'],
    ['create index a_b on a (b)', 'index'],
    ['create table c (id uuid); create unique index a_b on a (b) where b is not null', 'index'],
    ['alter table a add column b uuid unique', 'index'],
    ['alter table a add constraint a_b unique (b, c)', 'index'],
    ['alter table a add column b integer check (b > 0)', 'checked at once'],
    ['alter table a add constraint a_b check (b in (1, 2))', 'checked at once'],
    ['alter table a add constraint a_b foreign key (b) references c', 'checked at once'],
    [
      'alter table a add constraint a_b check (b > 0) not valid; alter table a validate constraint a_b',
      'checked at once',
    ],
    ['alter table a add column b uuid default gen_random_uuid()', 'checked at once'],
  ];
  it.each(planted)('notice %j', (sql, rule) => {
    expect(brokenRules(raw(sql))).toEqual([rule]);
  });

  it('also check other functions than `up`, and code that is not SQL', () => {
    const called = `export async function up(knex: Knex) { await fill(knex); }
const fill = (knex: Knex) => knex.raw('update a set b = 1');`;
    expect(brokenRules(called)).toEqual(['rows']);
    expect(brokenRules("export const up = (knex: Knex) => knex('a').update({ b: 1 });")).toEqual(['builder']);
    expect(brokenRules('export const up = (knex: Knex) => knex.schema.alterTable();')).toEqual(['builder']);
  });

  it.each([
    'alter table a add column b text, add column c text not null default now()',
    'alter table a add constraint a_b check (b in (1, 2)) not valid',
    'alter table a validate constraint a_b',
    'alter table a add constraint a_b foreign key (b) references c not valid',
    'alter table a add constraint a_b unique using index a_b',
    'create index concurrently a_b on a (b)',
    'create table a (b text not null check (c > 0)); create index a_b on a (b); alter table a add column d text unique',
    'update a set b = 1 where id in (select id from a where b is null limit 1000)',
    'create trigger t after update or delete on a for each row execute function f()',
    'create function f() returns trigger language plpgsql as $$ begin update a set b = 1; end $$',
  ])('accept %j', (sql) => {
    expect(brokenRules(raw(sql))).toEqual([]);
  });
});
