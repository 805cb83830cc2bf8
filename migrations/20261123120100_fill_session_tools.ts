import type { Knex } from 'knex';

/** Each batch commits by itself. */
export const config = { transaction: false };

const batchSize = 100;

/** Writes the tools of the entries and sessions that were there before the triggers. Idempotent, and continues after an interruption. */
export async function up(knex: Knex): Promise<void> {
  await inBatches(knex, fillCatalog);
  await inBatches(knex, fillSessions);
}

export async function down(): Promise<void> {
  // The tables go with the migration that created them.
}

/** Locked, so that an entry that is replaced at this moment is read as it is afterwards, or replaced after these rows are there. */
const fillCatalog = `
  with batch as materialized (
    select id, workspace_id, manifest from mcp_servers where id > :after order by id limit :batchSize for share
  ), written as (
    insert into mcp_server_tools (workspace_id, mcp_server_id, tool, scope)
    select batch.workspace_id, batch.id, gate.key, gate.value
    from batch cross join jsonb_each_text(batch.manifest -> 'tool_scopes') as gate
    on conflict do nothing
  )
  select id as last from batch order by id desc limit 1`;

const fillSessions = `
  with batch as materialized (
    select session_id, configuration from session_configurations
    where session_id > :after order by session_id limit :batchSize for key share
  ), written as (
    insert into session_tools (session_id, server, tool, scope, entry_id, admin_only, position)
    select batch.session_id, t.server, t.tool, t.scope, t.entry_id, t.admin_only, t.position
    from batch cross join tools_of_configuration(batch.configuration) as t
    on conflict do nothing
  )
  select session_id as last from batch order by session_id desc limit 1`;

async function inBatches(knex: Knex, statement: string): Promise<void> {
  let after: string | undefined = '00000000-0000-0000-0000-000000000000';
  while (after !== undefined) {
    const { rows }: { rows: { last: string }[] } = await knex.raw(statement, { after, batchSize });
    after = rows[0]?.last;
  }
}
