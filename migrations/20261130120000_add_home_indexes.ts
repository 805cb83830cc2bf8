import type { Knex } from 'knex';

/** What failed lately in a workspace, and what waits for a decision, which its first page shows. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists sessions_failed_by_workspace');
  await knex.raw(`
    create index concurrently sessions_failed_by_workspace on sessions (workspace_id, ended_at desc, id desc)
      where status = 'failed'`);
  await knex.raw('drop index concurrently if exists permission_requests_open_by_workspace');
  await knex.raw(`
    create index concurrently permission_requests_open_by_workspace
      on permission_requests (workspace_id, created_at desc, id desc) where status = 'open'`);
}

/** They cannot be made within a transaction without blocking those who start sessions. */
export const config = { transaction: false };
