import type { Knex } from 'knex';

/** The calls of the last days in a workspace, which Insights counts. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists audit_events_calls_by_time');
  await knex.raw(`
    create index concurrently audit_events_calls_by_time on audit_events (workspace_id, at desc)
      where event in ('session.mcp.tool_called', 'session.mcp.calls_refused')`);
}

/** It cannot be made within a transaction without blocking those who make calls. */
export const config = { transaction: false };
