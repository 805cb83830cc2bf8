import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

export const config = { transaction: false };

const indexes = [
  {
    name: 'sessions_unfinished_by_schedule_maker',
    on: "sessions (schedule_maker_id) where status not in ('completed', 'failed', 'terminated')",
  },
  {
    name: 'audit_events_scheduled_by_maker',
    on: "audit_events ((data ->> 'schedule_maker_id'), position desc) where event = 'session.created' and data ->> 'schedule_maker_id' is not null",
  },
];

/** What quotas count of the sessions that a user's schedules start. */
export async function up(knex: Knex): Promise<void> {
  for (const index of indexes) {
    await buildIndexConcurrently(knex, index);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const { name } of indexes) {
    await knex.raw(`drop index concurrently if exists ${name}`);
  }
}
