import type { Knex } from 'knex';

/**
 * The audit trail: append-only. Ids of other rows are kept without foreign keys, so that it outlives them.
 */
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
      data jsonb not null default '{}',
      -- The age of a record counts from here, since the time of a call is its sidecar's claim.
      recorded_at timestamptz not null default now(),
      -- The name that an agent had when it did this.
      actor_name text
    );
    create unique index audit_events_by_workspace on audit_events (workspace_id, position desc);
    create index audit_events_by_event on audit_events (workspace_id, event, position desc);
    create index audit_events_by_session on audit_events (session_id, position desc);
    -- For the totals on a session's page: the counts of refused calls, which are few among its records.
    create index audit_events_refused_by_session on audit_events (session_id)
      where event = 'session.mcp.calls_refused';
    -- What quotas count of the last hour: what a person created, what sessions below theirs started, and what
    -- their schedules did.
    create index audit_events_creations_by_actor on audit_events (actor_id, event, position desc)
      where event in ('session.created', 'workspace.created');
    create index audit_events_children_by_root_operator
      on audit_events ((data ->> 'root_operator_id'), position desc)
      where event = 'session.created' and actor_type = 'agent';
    create index audit_events_scheduled_by_maker on audit_events ((data ->> 'schedule_maker_id'), position desc)
      where event = 'session.created' and data ->> 'schedule_maker_id' is not null;

    -- Ids of calls whose record was removed because of its age: none of them is recorded again.
    create table removed_call_ids (
      call_id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade
    );

    create function refuse_audit_changes() returns trigger language plpgsql as $$
    begin
      -- Three exceptions: a workspace that is gone, calls that are older than their workspace keeps them, and a
      -- workspace whose removal has begun, which goes in batches.
      if tg_op = 'DELETE' and not exists (select 1 from workspaces where id = old.workspace_id) then
        return old;
      end if;
      if tg_op = 'DELETE' and old.event in ('session.mcp.tool_called', 'session.mcp.calls_refused')
        and exists (select 1 from workspaces where id = old.workspace_id
          and old.recorded_at < now() - make_interval(days => tool_call_retention_days)) then
        return old;
      end if;
      if tg_op = 'DELETE' and exists (select from removed_workspaces where id = old.workspace_id) then
        return old;
      end if;
      raise exception 'audit events are never changed or removed' using errcode = 'check_violation';
    end $$;
    create trigger audit_events_append_only before update or delete on audit_events
      for each row execute function refuse_audit_changes();

    -- So that whoever adds an event has the name.
    create function name_acting_agent() returns trigger language plpgsql as $$
    begin
      if new.actor_type = 'agent' then
        new.actor_name := (select name from agents where id = new.actor_id);
      end if;
      return new;
    end $$;
    create trigger audit_events_name_agent before insert on audit_events
      for each row execute function name_acting_agent();
  `);
}
