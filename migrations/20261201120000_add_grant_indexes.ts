import type { Knex } from 'knex';

/**
 * Lists of what permits something now do not read through what was used up or revoked; and from a grant to the
 * decision that it was written for.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists grants_standing_by_workspace');
  await knex.raw(`
    create index concurrently grants_standing_by_workspace
      on grants (workspace_id, granted_at desc, id desc)
      where revoked_at is null and consumed_at is null`);
  await knex.raw('drop index concurrently if exists decisions_by_grant');
  await knex.raw(`
    create index concurrently decisions_by_grant on decisions (grant_id) where grant_id is not null`);
}

/** It cannot be made within a transaction without blocking those who decide. */
export const config = { transaction: false };
