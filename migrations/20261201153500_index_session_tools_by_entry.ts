import type { Knex } from 'knex';

/**
 * From a catalog entry to the sessions that froze it, as each approval asks for those that need a passkey.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists session_tools_by_entry');
  await knex.raw('create index concurrently session_tools_by_entry on session_tools (entry_id, scope)');
}

/** It cannot be made within a transaction without blocking those who start sessions. */
export const config = { transaction: false };
