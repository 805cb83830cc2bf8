import type { Knex } from 'knex';

/** Schedules of agents, the outcome of each of their times, and which session one of them started. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table schedules (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      agent_id uuid,
      maker_id uuid references users on delete set null,
      name text not null,
      -- A cron expression or an interval.
      spec jsonb not null,
      time_zone text not null,
      prompt text not null,
      overlap text not null check (overlap in ('skip', 'buffer_one', 'cancel_other', 'allow_all')),
      catch_up_window_seconds integer not null,
      request_expiry_seconds integer not null,
      paused_at timestamptz,
      pause_reason text check (pause_reason in
        ('person', 'maker_left', 'agent_removed', 'agent_archived', 'workspace_closed')),
      pause_note text,
      -- Counts the changes: Temporal's copy says which one it has.
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      -- By what names are compared, as of mcp_servers.
      name_caseless text not null,
      name_seen text not null,
      unique (workspace_id, name),
      unique (workspace_id, id),
      foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete set null (agent_id),
      check ((paused_at is null) = (pause_reason is null))
    );
    create index schedules_by_workspace on schedules (workspace_id, created_at desc, id desc);
    create index schedules_by_agent on schedules (agent_id);
    create index schedules_by_maker on schedules (maker_id);
    create unique index schedules_by_name_caseless on schedules (workspace_id, name_caseless);
    create unique index schedules_by_name_seen on schedules (workspace_id, name_seen);
    create trigger schedules_in_open_workspace before insert on schedules
      for each row execute function refuse_in_closed_workspace();
    create trigger schedules_resume_in_open_workspace before update of paused_at on schedules
      for each row when (old.paused_at is not null and new.paused_at is null)
      execute function refuse_in_closed_workspace();

    create table schedule_runs (
      -- Follows from the schedule and the time; the session that it started has the same id.
      id uuid primary key,
      workspace_id uuid not null,
      schedule_id uuid not null,
      scheduled_at timestamptz not null,
      outcome text not null check (outcome in
        ('started', 'paused', 'maker_left', 'agent_removed', 'agent_archived', 'workspace_closed', 'limit_reached',
          'too_late', 'repeated')),
      detail text,
      session_id uuid,
      created_at timestamptz not null default now(),
      foreign key (workspace_id, schedule_id) references schedules (workspace_id, id) on delete cascade,
      foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete set null (session_id),
      check (outcome = 'started' or session_id is null)
    );
    create index schedule_runs_by_schedule on schedule_runs (schedule_id, created_at desc, id desc);
    create index schedule_runs_by_session on schedule_runs (session_id);
    create index schedule_runs_by_time on schedule_runs (created_at);
  `);
}
