import type { Knex } from 'knex';

/** Catalog entries that asked for a passkey as they were removed: sessions that froze one go on to ask. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table removed_asking_entries (
      entry_id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade
    );
    create index removed_asking_entries_by_workspace on removed_asking_entries (workspace_id)`);
}
