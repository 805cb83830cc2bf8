/**
 * Pods of the previous release go on serving while an upgrade replaces them, on the schema that
 * the new one has migrated.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { brokenRules, type MigrationRule, migrationRules } from './migration-rules.ts';

/** The last one that made the schema of the first release: there was nobody to block. */
const firstRelease = '20261129101100_create_shared_data';

/** Why a later migration may break a rule. One that was released is never edited. */
const exceptions: Record<string, Partial<Record<MigrationRule, string>>> = {};

interface Migration {
  name: string;
  text: string;
}

/**
 * What the migrations break without an exception, and what an exception names that is not
 * broken, or without a reason.
 */
function findProblems(migrations: Migration[], excepted: typeof exceptions): string[] {
  const broken = migrations.flatMap(({ name, text }) => brokenRules(text).map((rule) => ({ name, rule })));
  const named = Object.entries(excepted).flatMap(([name, reasons]) =>
    Object.entries(reasons).map(([rule, reason]) => ({ name, rule, reason })),
  );
  const isAmong = (list: { name: string; rule: string }[], { name, rule }: { name: string; rule: string }) =>
    list.some((each) => each.name === name && each.rule === rule);
  return [
    ...broken
      .filter((each) => !isAmong(named, each))
      .map(({ name, rule }) => `${name} breaks ${rule}: ${migrationRules[rule]}`),
    ...named
      .filter((each) => !isAmong(broken, each))
      .map(({ name, rule }) => `${name} needs no exception from ${rule}`),
    ...named
      .filter(({ reason }) => reason.split(' ').length <= 6)
      .map(({ name, rule }) => `${name} has no reason for ${rule}`),
  ];
}

it('a migration only adds and blocks nothing, or its exceptions give the reason', () => {
  const names = readdirSync('migrations').filter((file) => /^\d{14}_/.test(file));
  expect(names).toContain(`${firstRelease}.ts`);
  const later = names
    .filter((file) => file > `${firstRelease}.ts`)
    .map((file) => ({ name: file.replace(/\.ts$/, ''), text: readFileSync(`migrations/${file}`, 'utf8') }));
  expect(findProblems(later, exceptions)).toEqual([]);
});

const raw = (sql: string) => `export async function up(knex: Knex) { await knex.raw(\`${sql}\`); }`;

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
    const added = [{ name: 'added', text: raw(sql) }];
    expect(findProblems(added, {})).toEqual([`added breaks ${rule}: ${migrationRules[rule]}`]);
    const reason = 'a table that people fill by hand, a few rows each';
    expect(findProblems(added, { added: { [rule]: reason } })).toEqual([]);
    expect(findProblems(added, { added: { [rule]: 'few rows' } })).toEqual([
      `added has no reason for ${rule}`,
    ]);
  });

  it('notice an exception that does not apply', () => {
    const added = [{ name: 'added', text: raw('create table a (b text)') }];
    const excepted = { added: { rows: 'a table that people fill by hand, a few rows each' } };
    expect(findProblems(added, excepted)).toEqual(['added needs no exception from rows']);
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
