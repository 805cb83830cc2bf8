import type { Knex } from 'knex';

/**
 * A workspace is deleted with all that it holds. Attachments go with it directly: by way of their agent they would go too late, since the check that no
 * attachment uses a deleted catalog entry comes first. Uses of grants have no foreign keys.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table agent_mcp_attachments add constraint agent_mcp_attachments_workspace_id_fkey
      foreign key (workspace_id) references workspaces on delete cascade not valid;

    create function delete_grant_uses_of_workspace() returns trigger language plpgsql as $$
    begin
      delete from grant_uses where session_id in (select id from sessions where workspace_id = old.id);
      return old;
    end $$;
    create trigger workspaces_delete_grant_uses before delete on workspaces
      for each row execute function delete_grant_uses_of_workspace();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger workspaces_delete_grant_uses on workspaces;
    drop function delete_grant_uses_of_workspace;
    alter table agent_mcp_attachments drop constraint agent_mcp_attachments_workspace_id_fkey;
  `);
}
