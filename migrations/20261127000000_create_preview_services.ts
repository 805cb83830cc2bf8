import type { Knex } from 'knex';

/** Previews that show one of their agent's services in place of files. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table previews add column service text;

    create table preview_services (
      preview_id uuid primary key references previews on delete cascade,
      state text not null default 'pending' check (state in ('pending', 'starting', 'running', 'stopped', 'failed')),
      -- A sentence about an involuntary end.
      reason text,
      -- What its workload runs with, frozen at its start. References of secrets, no values.
      configuration jsonb,
      -- Where its gateway says that it listens, and the same once the worker has compared it with where the workload really runs.
      reported_url text,
      address text,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      -- Nothing of it runs any more.
      stopped_at timestamptz,
      check ((state in ('stopped', 'failed')) = (stopped_at is not null)),
      check (address is null or state = 'running')
    );
    create index preview_services_to_stop on preview_services (created_at) where stopped_at is null;
    create index preview_services_by_start on preview_services (created_at)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from previews where service is not null;
    drop table preview_services;
    alter table previews drop column service`);
}
