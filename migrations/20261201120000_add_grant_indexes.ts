import type { Knex } from 'knex';

/**
 * Lists of what permits something now do not read through what was used up or revoked; from a grant to the
 * decision that it was written for; and whether a session used a grant, however often others did.
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
  await knex.raw('drop index concurrently if exists grant_uses_by_session');
  await knex.raw('create index concurrently grant_uses_by_session on grant_uses (session_id, grant_id)');
  await knex.raw('drop index concurrently if exists grant_uses_of_session');
}

/** It cannot be made within a transaction without blocking those who decide. */
export const config = { transaction: false };
