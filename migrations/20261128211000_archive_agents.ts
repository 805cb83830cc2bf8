import type { Knex } from 'knex';

/**
 * Agents that are put away with all that they did, and the name that an agent had when it did something: the audit trail outlives it. A trigger writes that,
 * so that whoever adds an event has it, also the release before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table agents add column archived_at timestamptz;

    alter table audit_events add column actor_name text;
    create function name_acting_agent() returns trigger language plpgsql as $$
    begin
      if new.actor_type = 'agent' then
        new.actor_name := (select name from agents where id = new.actor_id);
      end if;
      return new;
    end $$;
    create trigger audit_events_name_agent before insert on audit_events
      for each row execute function name_acting_agent();

    alter table schedules
      drop constraint schedules_pause_reason_check,
      add constraint schedules_pause_reason_check
        check (pause_reason in ('person', 'maker_left', 'agent_removed', 'agent_archived')) not valid;
    alter table schedule_runs
      drop constraint schedule_runs_outcome_check,
      add constraint schedule_runs_outcome_check check (outcome in
        ('started', 'paused', 'maker_left', 'agent_removed', 'agent_archived', 'limit_reached', 'too_late', 'repeated')) not valid`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update schedules set pause_reason = 'person' where pause_reason = 'agent_archived';
    update schedule_runs set outcome = 'paused' where outcome = 'agent_archived';
    alter table schedules
      drop constraint schedules_pause_reason_check,
      add constraint schedules_pause_reason_check check (pause_reason in ('person', 'maker_left', 'agent_removed'));
    alter table schedule_runs
      drop constraint schedule_runs_outcome_check,
      add constraint schedule_runs_outcome_check check (outcome in
        ('started', 'paused', 'maker_left', 'agent_removed', 'limit_reached', 'too_late', 'repeated'));
    drop trigger audit_events_name_agent on audit_events;
    drop function name_acting_agent;
    alter table audit_events drop column actor_name;
    alter table agents drop column archived_at`);
}
