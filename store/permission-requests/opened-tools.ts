import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { OpenedTools } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';
import { noTools, readFirstTools } from '../grants/first-tools.ts';

type Asked = Pick<PermissionRequest, 'id' | 'session_id' | 'grant_type' | 'details'>;

/**
 * The tools that each request's scope opens in the requesting session, as it froze them: facts, not the agent's claim. By request id.
 */
export async function readOpenedTools(db: Db, requests: readonly Asked[]): Promise<Map<string, OpenedTools>> {
  const asked = requests.filter(({ grant_type: type }) => type === 'tool_scope');
  const tools = await readFirstTools(
    db,
    db.raw(
      `select session_id || ' ' || scope as key, server, tool, position as place from session_tools
       where session_id = any(?) and session_id || ' ' || scope = any(?)`,
      [asked.map(({ session_id: id }) => id), asked.map(keyOf)],
    ),
  );
  return new Map(requests.map((request) => [request.id, tools.get(keyOf(request)) ?? noTools]));
}

const keyOf = ({ session_id: sessionId, details: { scope } }: Asked) => `${sessionId} ${scope}`;
