import type { Knex } from 'knex';

/** The audit trail: append-only. Ids of other rows are kept without foreign keys, so that it outlives them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table audit_events (
      -- For session.mcp.tool_called this is the call id, so a call is stored once however often it is reported.
      id uuid primary key,
      position bigint generated always as identity,
      workspace_id uuid not null references workspaces on delete cascade,
      event text not null,
      at timestamptz not null default now(),
      actor_type text not null check (actor_type in ('user', 'agent', 'system')),
      actor_id uuid,
      resource_type text not null,
      resource_id text not null,
      resource_name text not null,
      session_id uuid,
      data jsonb not null default '{}'
    );
    create unique index audit_events_by_workspace on audit_events (workspace_id, position desc);
    create index audit_events_by_event on audit_events (workspace_id, event, position desc);
    create index audit_events_by_session on audit_events (session_id, position desc);

    create function refuse_audit_changes() returns trigger language plpgsql as $$
    begin
      -- The one exception is a workspace that is removed with all it holds.
      if tg_op = 'DELETE' and not exists (select 1 from workspaces where id = old.workspace_id) then
        return old;
      end if;
      raise exception 'audit events are never changed or removed' using errcode = 'check_violation';
    end $$;
    create trigger audit_events_append_only before update or delete on audit_events
      for each row execute function refuse_audit_changes();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table audit_events; drop function refuse_audit_changes;');
}
