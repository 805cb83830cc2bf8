import type { Session } from '../../contract/session.ts';
import type { CallRecord } from '../../contract/sidecar.ts';
import { type Db, prepared } from '../database.ts';

const recordCalls = `
  insert into audit_events
    (id, workspace_id, event, at, actor_type, actor_id, resource_type, resource_id, resource_name, session_id, data)
  select c.call_id, $2, 'session.mcp.tool_called', c.started_at, 'agent', $3, 'mcp_server', c.server, c.server, $1,
    jsonb_build_object('name', c.server, 'tool', c.tool, 'duration_ms', c.duration_ms,
      'granted_via', u.grant_id, 'outcome', c.outcome)
  from jsonb_to_recordset($4::jsonb) as c
    (call_id uuid, server text, tool text, started_at timestamptz, duration_ms double precision, outcome text)
  left join grant_uses u on u.call_id = c.call_id and u.session_id = $1
  order by c.started_at
  on conflict (id) do nothing`;

/**
 * Adds finished calls to the audit trail, each exactly once by its call id. Which grant a call passed on is read from
 * the check's own record, not taken from the report (design 5).
 */
export async function recordToolCalls(db: Db, session: Session, calls: readonly CallRecord[]): Promise<void> {
  const values = [session.id, session.workspace_id, session.agent_id, JSON.stringify(calls)];
  await prepared(db, 'record_tool_calls', recordCalls, values);
}
