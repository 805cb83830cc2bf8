/** What is known of the servers that requests are about, as their sessions froze them. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { ChangedTool, PermissionRequest } from '../../contract/permission-request.ts';
import { differenceKind } from '../../contract/tool-definitions.ts';
import type { Db } from '../database.ts';
import { signsInTo } from '../grants/fitting-grant.ts';
import { readRows } from '../read-rows.ts';

type Asked = Pick<PermissionRequest, 'id' | 'session_id' | 'refused_call'>;

const changedRow = z.object({
  session_id: uuid,
  server: z.string(),
  /** Null for what the server says of itself, which goes with each of its tools. */
  tool: z.string().nullable(),
  kind: differenceKind,
});

interface NamedTool {
  server: string;
  tool: string;
}

/**
 * Those of the tools that are not as an admin accepted them, of the entries that each session froze; by
 * request id. `toolsOf` names the tools that matter of a request.
 */
export async function readChangedTools<Request extends Asked>(
  db: Db,
  workspaceId: string,
  requests: readonly Request[],
  toolsOf: (request: Request) => readonly NamedTool[],
): Promise<Map<string, ChangedTool[]>> {
  const named = new Set(requests.flatMap((request) => toolsOf(request).map(({ tool }) => tool)));
  const statement = db.raw(
    `with frozen as materialized (
       select session_id, server ->> 'name' as server, (server ->> 'entry_id')::uuid as entry_id,
         (server ->> 'entry_version')::int as version
       from session_configurations, jsonb_array_elements(configuration -> 'servers') as server
       where session_id = any(:sessionIds::uuid[])
     )
     select distinct frozen.session_id, frozen.server, nullif(d.tool, '') as tool,
       case when d.part = 'tool' and not exists (
         select from tool_definitions a
         where a.mcp_server_id = d.mcp_server_id and a.version = d.version and a.part = d.part and a.tool = d.tool
           and a.accepted_at is not null
       ) then 'new' else 'changed' end as kind
     from frozen join tool_definitions d on d.mcp_server_id = frozen.entry_id and d.version = frozen.version
     where d.workspace_id = :workspaceId and d.accepted_at is null
       and (d.part = 'instructions' or d.tool = any(:tools::text[]))`,
    { workspaceId, sessionIds: requests.map(({ session_id: id }) => id), tools: [...named] },
  );
  const rows = named.size === 0 ? [] : await readRows(statement, changedRow);
  // The list may be long, and what a server says of its tools is its own choice: each is looked up once.
  const kinds = new Map<string, ChangedTool['kind']>();
  for (const { session_id: sessionId, server, tool, kind } of rows) {
    const key = keyOf(sessionId, server, tool);
    kinds.set(key, kinds.get(key) === 'new' ? 'new' : kind);
  }
  return new Map(
    requests.map((request) => [
      request.id,
      toolsOf(request).flatMap(({ server, tool }) => {
        const kind =
          kinds.get(keyOf(request.session_id, server, tool)) ??
          kinds.get(keyOf(request.session_id, server, null));
        return kind === undefined ? [] : [{ server, tool, kind }];
      }),
    ]),
  );
}

const keyOf = (...parts: (string | null)[]): string => JSON.stringify(parts);

/** Ids of those whose refused call was of a server that nobody signs in to. What is not known is left out. */
export async function listWithoutSignIn(db: Db, requests: readonly Asked[]): Promise<ReadonlySet<string>> {
  const ids = requests.filter(({ refused_call: call }) => call !== null).map(({ id }) => id);
  if (ids.length === 0) {
    return new Set();
  }
  const query = db('permission_requests as r')
    .whereIn('r.id', ids)
    .whereExists(
      db('session_configurations as known')
        .whereRaw('known.session_id = r.session_id')
        .select('known.session_id'),
    )
    .whereRaw(`not ${signsInTo('r.session_id', 'r.refused_server')}`)
    .select('r.id');
  const rows = await readRows(query, z.object({ id: uuid }));
  return new Set(rows.map(({ id }) => id));
}
