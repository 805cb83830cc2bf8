/** Pods of the release before go on serving while an upgrade replaces them, on the schema that the new one has migrated. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** Migrations up to this one were made before the first release. */
const beforeTheRule = '20261122090000';
/** What takes something from the release before, or refuses what it writes. */
const contractions =
  /\b(drop (table|column|view|function)|rename (to|column)|(drop|rename)(Table|Column)|alter column \S+ (type|set not null)|truncate)\b/i;
const allowed = /^ \* Contracts: .{20,}$/m;

function upOf(text: string): string {
  return text.slice(text.indexOf('export async function up'), text.indexOf('export async function down'));
}

const problemOf = (text: string): string | null => {
  const found = contractions.exec(upOf(text))?.[0];
  return found === undefined || allowed.test(text) ? null : found;
};

describe('a migration', () => {
  it.each(
    readdirSync('migrations').filter((file) => /^\d{14}_/.test(file) && file.slice(0, 14) > beforeTheRule),
  )('%s only adds, or says which earlier release stopped to use what it takes', (file) => {
    expect(problemOf(readFileSync(`migrations/${file}`, 'utf8'))).toBeNull();
  });

  it('that takes a column away is noticed, unless it says why nobody misses it', () => {
    const up =
      "export async function up() { knex.raw('alter table a drop column b'); }\nexport async function down() {}";
    expect(problemOf(up)).toBe('drop column');
    expect(
      problemOf(`/**\n * Contracts: no release since 0.1.0 reads or writes a.b.\n */\n${up}`),
    ).toBeNull();
    expect(problemOf(up.replace('drop column b', 'add column b text'))).toBeNull();
  });
});
