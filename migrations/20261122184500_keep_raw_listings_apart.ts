import type { Knex } from 'knex';

const kinds = (names: string) => `
  alter table mcp_check_texts drop constraint mcp_check_texts_kind_check;
  alter table mcp_check_texts add constraint mcp_check_texts_kind_check check (kind in (${names}));`;

/** An unredacted listing is a kind of its own, so that it is never mistaken for one that may be shown. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ${kinds(`'output', 'raw_listing', 'listing'`)}
    delete from mcp_check_texts t using mcp_checks c
      where c.id = t.check_id and c.ended_at is null and t.kind = 'listing'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from mcp_check_texts where kind = 'raw_listing';
    ${kinds(`'output', 'listing'`)}`);
}
