import type { Knex } from 'knex';

/** What an agent asked before, beside what it asks now. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists permission_requests_by_agent');
  await knex.raw(`
    create index concurrently permission_requests_by_agent
      on permission_requests (agent_id, created_at desc, id desc)`);
}

/** It cannot be made within a transaction without blocking agents that ask. */
export const config = { transaction: false };
