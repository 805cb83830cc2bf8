/**
 * What a permission request is about: its people and agents, for those who show it and those who decide who
 * may answer it, and the tools it would open.
 */
import * as z from 'zod';
import { type Named, uuid } from '../../contract/names.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { OpenedTools } from '../../contract/session-event.ts';
import { sessionTitle } from '../../contract/session-title.ts';
import type { Db } from '../database.ts';
import { noTools, readFirstTools } from '../grants/first-tools.ts';
import { readRows } from '../read-rows.ts';
import { namedOrNull } from '../sessions/context.ts';
import { titleStart } from '../sessions/title.ts';

type Asked = Pick<PermissionRequest, 'id' | 'session_id' | 'grant_type' | 'details'>;

/**
 * The tools that each request's scope opens in the requesting session, as it froze them: facts, not the
 * agent's claim. By request id.
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

export interface RequestContext {
  sessionTitle: string;
  agent: Named & { ownerId: string | null };
  /** Null for child and scheduled sessions. */
  operator: Named | null;
  /** The human at the top of the tree of sessions. */
  rootOperator: Named | null;
  /** Who had made the schedule that started the session. */
  scheduleMakerId: string | null;
  /** The session is shared with the workspace. */
  isShared: boolean;
  /** The agent that a `spawn` request names. */
  childAgent: Named | null;
  /** Who answered the request; null when nobody did, or the person was deleted. */
  decider: Named | null;
}

const row = z.object({
  request_id: uuid,
  session_id: uuid,
  title_start: z.string(),
  agent_id: uuid,
  agent_name: z.string(),
  owner_id: uuid.nullable(),
  operator_id: uuid.nullable(),
  operator_name: z.string().nullable(),
  root_operator_id: uuid.nullable(),
  root_operator_name: z.string().nullable(),
  schedule_maker_id: uuid.nullable(),
  shared_with_workspace: z.boolean(),
  child_agent_id: uuid.nullable(),
  child_agent_name: z.string().nullable(),
  decider_id: uuid.nullable(),
  decider_name: z.string().nullable(),
});

/** By request id. */
export async function readRequestContexts(
  db: Db,
  requestIds: readonly string[],
): Promise<Map<string, RequestContext>> {
  const query = db('permission_requests as r')
    .join('agents as a', 'a.id', 'r.agent_id')
    .join('sessions as s', 's.id', 'r.session_id')
    .leftJoin('users as o', 'o.id', 's.operator_id')
    .leftJoin('users as t', 't.id', 's.root_operator_id')
    .leftJoin('users as d', 'd.id', 'r.decided_by')
    .leftJoin('agents as c', (on) =>
      on.on('c.workspace_id', 'r.workspace_id').on(db.raw(`c.id::text = r.details ->> 'child_agent_id'`)),
    )
    .whereIn('r.id', requestIds)
    .select(titleStart(db), {
      request_id: 'r.id',
      session_id: 's.id',
      agent_id: 'a.id',
      agent_name: 'a.name',
      owner_id: 'a.owner_id',
      operator_id: 'o.id',
      operator_name: 'o.name',
      root_operator_id: 't.id',
      root_operator_name: 't.name',
      schedule_maker_id: 's.schedule_maker_id',
      shared_with_workspace: 's.shared_with_workspace',
      child_agent_id: 'c.id',
      child_agent_name: 'c.name',
      decider_id: 'd.id',
      decider_name: 'd.name',
    });
  const rows = await readRows(query, row);
  return new Map(rows.map((found) => [found.request_id, present(found)]));
}

function present(found: z.infer<typeof row>): RequestContext {
  return {
    sessionTitle: sessionTitle(found.session_id, found.title_start),
    agent: { id: found.agent_id, name: found.agent_name, ownerId: found.owner_id },
    operator: namedOrNull(found.operator_id, found.operator_name),
    rootOperator: namedOrNull(found.root_operator_id, found.root_operator_name),
    scheduleMakerId: found.schedule_maker_id,
    isShared: found.shared_with_workspace,
    childAgent: namedOrNull(found.child_agent_id, found.child_agent_name),
    decider: namedOrNull(found.decider_id, found.decider_name),
  };
}
