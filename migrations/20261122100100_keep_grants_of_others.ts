import type { Knex } from 'knex';

/**
 * A grant outlives its maker, the request that it answered and the session that asked: their ids stay, without foreign
 * keys. It is deleted with its subject, its workspace and, when its scope is `session`, that session.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table grants
      drop constraint grants_granted_by_user_id_fkey,
      drop constraint grants_request_id_fkey,
      drop constraint grants_workspace_id_bound_session_id_fkey
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table grants
      add constraint grants_granted_by_user_id_fkey
        foreign key (granted_by_user_id) references users not valid,
      add constraint grants_request_id_fkey
        foreign key (request_id) references permission_requests on delete cascade not valid,
      add constraint grants_workspace_id_bound_session_id_fkey
        foreign key (workspace_id, bound_session_id) references sessions (workspace_id, id) on delete cascade not valid
  `);
}
