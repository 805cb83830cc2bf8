/**
 * The one definition of an active grant (docs/grants.md#scope-and-state): neither revoked nor used up, nor for a session
 * that has ended.
 */
import type { Knex } from 'knex';

/** Simple enough for Postgres to update and lock through, so that whoever waited for a row looks at these conditions again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create view active_grants as
      select * from grants
      where revoked_at is null and consumed_at is null
        and (scope <> 'session' or not exists (
          select from sessions where sessions.id = grants.session_id and sessions.ended_at is not null
        ))`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop view active_grants');
}
