import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

/** Each index commits by itself. */
export const config = { transaction: false };

const tables = ['agents', 'mcp_servers', 'schedules'];
const forms = ['name_caseless', 'name_seen'];

/**
 * By what names are compared, beside the names. `store/shown-names.ts` writes them, those of rows that are there already as well: `name_folded` is the name
 * that they are of, so that a name which a release before this one writes has none.
 */
export async function up(knex: Knex): Promise<void> {
  for (const table of tables) {
    await knex.raw(
      `alter table ${table}
        add column if not exists name_caseless text, add column if not exists name_seen text,
        add column if not exists name_folded text`,
    );
    for (const form of forms) {
      const on = `${table} (workspace_id, ${form})`;
      await buildIndexConcurrently(knex, { name: `${table}_by_${form}`, on, unique: true });
    }
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const table of tables) {
    await knex.raw(
      `alter table ${table} drop column name_caseless, drop column name_seen, drop column name_folded`,
    );
  }
}
