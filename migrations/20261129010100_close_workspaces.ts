import type { Knex } from 'knex';

/**
 * Workspaces that an admin closed. `closing_ended_at` is null until all that has to end with it was asked to. The database refuses what would
 * begin in one, whoever writes it. Whoever does holds a lock that closing waits for, in turn: so no row that began before is missed after it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspaces
      add column closed_at timestamptz,
      add column closed_by uuid,
      add column reopenable_until timestamptz,
      add column closing_ended_at timestamptz;

    create function is_open_workspace(workspace uuid) returns boolean language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtextextended('workspace ' || workspace, 0));
      return exists (select from workspaces where id = workspace and closed_at is null);
    end $$;

    create function refuse_in_closed_workspace() returns trigger language plpgsql as $$
    begin
      if not is_open_workspace(new.workspace_id) then
        raise exception 'workspace % is closed', new.workspace_id using errcode = 'WSC01';
      end if;
      return new;
    end $$;
    ${refusedInserts.map((table) => trigger(table)).join('\n')}
    ${trigger('schedules')}
    create trigger schedules_resume_in_open_workspace before update of paused_at on schedules
      for each row when (old.paused_at is not null and new.paused_at is null) execute function refuse_in_closed_workspace();
    ${trigger('mcp_registrations')}
    create trigger mcp_registrations_begin_in_open_workspace before update of revision on mcp_registrations
      for each row when (new.status = 'pending') execute function refuse_in_closed_workspace();
    ${usesAreRefused(`
      if not is_open_workspace((select workspace_id from sessions where id = new.session_id)) then
        raise exception 'the workspace of session % is closed', new.session_id using errcode = 'check_violation';
      end if;`)}

    alter table oauth_connections
      drop constraint oauth_connections_end_reason_check,
      add constraint oauth_connections_end_reason_check
        check (end_reason in ('disconnected', 'refused', 'replaced', 'left', 'unbound', 'workspace_closed')) not valid;
    alter table schedules
      drop constraint schedules_pause_reason_check,
      add constraint schedules_pause_reason_check
        check (pause_reason in ('person', 'maker_left', 'agent_removed', 'agent_archived', 'workspace_closed')) not valid;
    alter table schedule_runs
      drop constraint schedule_runs_outcome_check,
      add constraint schedule_runs_outcome_check check (outcome in
        ('started', 'paused', 'maker_left', 'agent_removed', 'agent_archived', 'workspace_closed', 'limit_reached', 'too_late',
          'repeated')) not valid`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update oauth_connections set end_reason = 'disconnected' where end_reason = 'workspace_closed';
    update schedules set pause_reason = 'person' where pause_reason = 'workspace_closed';
    update schedule_runs set outcome = 'paused' where outcome = 'workspace_closed';
    alter table oauth_connections
      drop constraint oauth_connections_end_reason_check,
      add constraint oauth_connections_end_reason_check
        check (end_reason in ('disconnected', 'refused', 'replaced', 'left', 'unbound'));
    alter table schedules
      drop constraint schedules_pause_reason_check,
      add constraint schedules_pause_reason_check
        check (pause_reason in ('person', 'maker_left', 'agent_removed', 'agent_archived'));
    alter table schedule_runs
      drop constraint schedule_runs_outcome_check,
      add constraint schedule_runs_outcome_check check (outcome in
        ('started', 'paused', 'maker_left', 'agent_removed', 'agent_archived', 'limit_reached', 'too_late', 'repeated'));
    ${usesAreRefused('')}
    ${[...refusedInserts, 'schedules', 'mcp_registrations'].map((table) => `drop trigger ${table}_in_open_workspace on ${table};`).join('\n')}
    drop trigger schedules_resume_in_open_workspace on schedules;
    drop trigger mcp_registrations_begin_in_open_workspace on mcp_registrations;
    drop function refuse_in_closed_workspace;
    drop function is_open_workspace;
    alter table workspaces
      drop column closed_at, drop column closed_by, drop column reopenable_until, drop column closing_ended_at`);
}

const refusedInserts = [
  'sessions',
  'grants',
  'permission_requests',
  'mcp_checks',
  'channel_messages',
  'previews',
  'oauth_authorizations',
  'oauth_connections',
];

const trigger = (table: string): string =>
  `create trigger ${table}_in_open_workspace before insert on ${table} for each row execute function refuse_in_closed_workspace();`;

/** `afterTheSession` runs once the session's row is locked. */
const usesAreRefused = (afterTheSession: string): string => `
  create or replace function refuse_uses_after_the_end() returns trigger language plpgsql as $$
  begin
    perform from sessions where id = new.session_id and ended_at is null for key share;
    if not found then
      raise exception 'session % has ended', new.session_id using errcode = 'check_violation';
    end if;${afterTheSession}
    if exists (select from grants where id = new.grant_id and expires_at is not null)
      and not exists (select from active_grants where id = new.grant_id) then
      raise exception 'grant % has expired', new.grant_id using errcode = 'check_violation';
    end if;
    return new;
  end $$;`;
