import type { Knex } from 'knex';

/**
 * What the installation keeps of a workspace that was removed permanently. Nothing refers to it, and it refers to nothing: it outlives all of that. The audit
 * trail of a workspace whose removal has begun goes in batches, too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspaces
      add column last_exported_at timestamptz,
      -- Of the bytes of the last whole export of the audit trail.
      add column last_export_sha256 text;

    create table removed_workspaces (
      -- The workspace's own.
      id uuid primary key,
      slug text not null,
      name text not null,
      closed_at timestamptz not null,
      closed_by uuid,
      -- As the operator says it, or the sweep.
      removed_by text not null,
      started_at timestamptz not null default clock_timestamp(),
      -- Null while rows of it are left.
      removed_at timestamptz,
      -- Rows that were removed, by table.
      counts jsonb not null default '{}',
      last_exported_at timestamptz,
      last_export_sha256 text
    );
    ${auditChanges(`
      if tg_op = 'DELETE' and exists (select from removed_workspaces where id = old.workspace_id) then
        return old;
      end if;`)}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${auditChanges('')}
    drop table removed_workspaces;
    alter table workspaces drop column last_exported_at, drop column last_export_sha256`);
}

/** `exception`: one beside the workspace that is gone, and the calls that are older than it keeps them. */
const auditChanges = (exception: string): string => `
  create or replace function refuse_audit_changes() returns trigger language plpgsql as $$
  begin
      if tg_op = 'DELETE' and not exists (select 1 from workspaces where id = old.workspace_id) then
        return old;
      end if;
      if tg_op = 'DELETE' and old.event in ('session.mcp.tool_called', 'session.mcp.calls_refused')
        and exists (select 1 from workspaces where id = old.workspace_id
          and old.recorded_at < now() - make_interval(days => tool_call_retention_days)) then
        return old;
      end if;${exception}
      raise exception 'audit events are never changed or removed' using errcode = 'check_violation';
  end $$;`;
