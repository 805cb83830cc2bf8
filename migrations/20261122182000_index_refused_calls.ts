import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

export const config = { transaction: false };

const name = 'audit_events_refused_by_session';

/** Index for the totals on a session's page: the counts of refused calls, which are few among a session's records. */
export function up(knex: Knex): Promise<void> {
  return buildIndexConcurrently(knex, {
    name,
    on: "audit_events (session_id) where event = 'session.mcp.calls_refused'",
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index concurrently if exists ${name}`);
}
