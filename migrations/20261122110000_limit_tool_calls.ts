import type { Knex } from 'knex';

/**
 * How many records a session's calls have, so that their number can be limited; and how long a workspace keeps them.
 * The age of a record counts from when it was stored, since the time of a call is its sidecar's claim.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sessions add column recorded_calls integer not null default 0;
    alter table audit_events add column recorded_at timestamptz not null default now();
    -- Null: records of tool calls are kept without a time limit.
    alter table workspaces add column tool_call_retention_days integer
      check (tool_call_retention_days between 1 and 36500);

    -- Ids of calls whose record was removed because of its age: none of them is recorded again.
    create table removed_call_ids (
      call_id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade
    );

    create or replace function refuse_audit_changes() returns trigger language plpgsql as $$
    begin
      -- Two exceptions: a workspace that is removed with all it holds, and calls that are older than their workspace keeps them.
      if tg_op = 'DELETE' and not exists (select 1 from workspaces where id = old.workspace_id) then
        return old;
      end if;
      if tg_op = 'DELETE' and old.event in ('session.mcp.tool_called', 'session.mcp.calls_refused')
        and exists (select 1 from workspaces where id = old.workspace_id
          and old.recorded_at < now() - make_interval(days => tool_call_retention_days)) then
        return old;
      end if;
      raise exception 'audit events are never changed or removed' using errcode = 'check_violation';
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function refuse_audit_changes() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and not exists (select 1 from workspaces where id = old.workspace_id) then
        return old;
      end if;
      raise exception 'audit events are never changed or removed' using errcode = 'check_violation';
    end $$;
    drop table removed_call_ids;
    alter table workspaces drop column tool_call_retention_days;
    alter table audit_events drop column recorded_at;
    alter table sessions drop column recorded_calls;
  `);
}
