import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { OpenedTools } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';
import { noTools, readFirstTools } from '../grants/first-tools.ts';

type Asked = Pick<PermissionRequest, 'id' | 'session_id' | 'grant_type' | 'details'>;

/**
 * The tools that each request's scope opens in the requesting session, from its frozen configuration: facts, not the
 * agent's claim. By request id.
 */
export async function readOpenedTools(db: Db, requests: readonly Asked[]): Promise<Map<string, OpenedTools>> {
  const asked = requests.filter(({ grant_type: type }) => type === 'tool_scope');
  const tools = await readFirstTools(
    db,
    db.raw(
      `select frozen.session_id || ' ' || gate.value as key, server ->> 'name' as server, gate.key as tool, servers.at as place
       from session_configurations frozen
       cross join jsonb_array_elements(frozen.configuration -> 'servers') with ordinality as servers(server, at)
       cross join jsonb_each_text(server -> 'tool_scopes') as gate
       where frozen.session_id = any(?) and frozen.session_id || ' ' || gate.value = any(?)`,
      [asked.map(({ session_id: id }) => id), asked.map(keyOf)],
    ),
  );
  return new Map(requests.map((request) => [request.id, tools.get(keyOf(request)) ?? noTools]));
}

const keyOf = ({ session_id: sessionId, details: { scope } }: Asked) => `${sessionId} ${scope}`;
