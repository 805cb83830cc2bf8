import type { Knex } from 'knex';

/**
 * What sessions are found by: the words of a name and those that a prompt begins with, each behind its
 * workspace, so that a search reads no entry of another one. It knows no language, but case and punctuation
 * are those of the database's collation: whoever changes that has to build the index again, as each on text.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function session_words(workspace_id uuid, title text, prompt text) returns tsvector
    language sql immutable parallel safe
    return (
      select array_to_tsvector(
        coalesce(array_agg(distinct workspace_id::text || ' ' || left(word, 60)), '{}'))
      from regexp_split_to_table(
        lower(coalesce(left(title, 200), '') || ' ' || left(ltrim(left(prompt, 400), E' \\t\\r\\n'), 200)),
        '[[:space:][:punct:]]+') as word
      where word <> '')`);
  await knex.raw('drop index concurrently if exists sessions_by_words');
  await knex.raw(`
    create index concurrently sessions_by_words on sessions
      using gin (session_words(workspace_id, title, prompt))`);
}

/** The index cannot be made within a transaction without blocking those who start sessions. */
export const config = { transaction: false };
