import type { Knex } from 'knex';
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { ShownDefinitions } from '../../contract/tool-definitions.ts';
import { prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

export interface ShownCall {
  callId: string;
  server: string;
  tool: string;
  shown: ShownDefinitions;
}

/**
 * A call passes when its tool was shown, and everything that was shown of it and of the server's instructions
 * is accepted for the version of the entry that the session froze; also what an earlier sidecar of the
 * session reported. Nothing is accepted of an entry that has been removed.
 */
const acceptedCallsStatement = `
  with asked as materialized (
    select call_id, server, tool from unnest($2::uuid[], $3::text[], $4::text[]) as asked (call_id, server, tool)
  ), shown as materialized (
    select call_id, part, digest from unnest($5::uuid[], $6::text[], $7::text[]) as shown (call_id, part, digest)
  ), frozen as materialized (
    select server ->> 'name' as server, (server ->> 'entry_id')::uuid as entry_id, (server ->> 'entry_version')::int as version
    from session_configurations, jsonb_array_elements(configuration -> 'servers') as server
    where session_id = $1
  )
  select asked.call_id from asked join frozen on frozen.server = asked.server
  where exists (select from shown where shown.call_id = asked.call_id and shown.part = 'tool')
    and not exists (
      select from shown where shown.call_id = asked.call_id and not exists (
        select from tool_definitions d
        where d.mcp_server_id = frozen.entry_id and d.version = frozen.version and d.part = shown.part
          and d.tool = case shown.part when 'tool' then asked.tool else '' end
          and d.digest = shown.digest and d.accepted_at is not null
      )
    )
    and not exists (
      select from session_tool_differences earlier join tool_definitions d on d.id = earlier.tool_definition_id
      where earlier.session_id = $1 and d.mcp_server_id = frozen.entry_id and d.accepted_at is null
        and (d.part = 'instructions' or d.tool = asked.tool)
    )`;

const accepted = z.object({ call_id: uuid });

/** The ids of those calls whose tools are as an admin accepted them. */
export async function checkShown(
  db: Knex,
  sessionId: string,
  calls: readonly ShownCall[],
): Promise<ReadonlySet<string>> {
  const shown = calls.flatMap(({ callId, shown: { tool, instructions } }) => [
    ...tool.map((digest) => ({ callId, part: 'tool', digest })),
    ...instructions.map((digest) => ({ callId, part: 'instructions', digest })),
  ]);
  const values = [
    sessionId,
    calls.map(({ callId }) => callId),
    calls.map(({ server }) => server),
    calls.map(({ tool }) => tool),
    shown.map(({ callId }) => callId),
    shown.map(({ part }) => part),
    shown.map(({ digest }) => digest),
  ];
  const rows = await readRows(prepared(db, 'accepted_calls', acceptedCallsStatement, values), accepted);
  return new Set(rows.map(({ call_id }) => call_id));
}
