import type { Knex } from 'knex';

/**
 * The maker's role when they made a grant, so that a scope restricted to admins accepts an admin's grant only.
 * Older grants count as made by members: fails closed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table grants add column granted_by_role text not null default 'member'
      check (granted_by_role in ('admin', 'member'));
    -- Asked for each call on a member's grant.
    create index mcp_servers_kept_to_admins on mcp_servers (workspace_id) where approvers = 'admin';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index mcp_servers_kept_to_admins; alter table grants drop column granted_by_role');
}
