import type { Knex } from 'knex';
import { hasSqlState, prepared, sqlState } from '../database.ts';

export interface GatedCall {
  /** Made by the sidecar for this call; asking twice with it is asking once. */
  callId: string;
  sessionId: string;
  server: string;
  tool: string;
  /** The scope that the tool needs, from the frozen configuration. */
  scope: string;
  /** The catalog entry that the session froze as the server. */
  entryId: string;
  /** An entry that the session froze keeps the scope to admins. */
  keptToAdmins: boolean;
}

/**
 * One statement decides, uses up and records (design 7).
 * - `caller`: nothing is allowed once the session has ended.
 * - `fitting`: rows whose details are exactly the scope; an agent's grant, or one of the user who drives this very session;
 *   made by an admin where the scope is kept to admins (design 4, `approvers`).
 * - `approval`: it is kept to admins by an entry that the session froze, or by one of today's catalog that names the scope
 *   or is the called server's. Evaluated only for a grant that a member made.
 * - `standing` before `single`: a `once` grant is used only when nothing else fits. Both lock the row that they choose and,
 *   after a wait, look at it again: a revoke that has answered is seen, and of two racing calls one finds it consumed and
 *   takes the next.
 * - `used`: the call id's key makes a racing repetition of the same call fail as a whole, so it uses up nothing.
 */
const fitting = `
  g.workspace_id = c.workspace_id and g.grant_type = 'tool_scope'
  and g.details = jsonb_build_object('scope', $5::text)
  and (g.agent_subject_id = c.agent_id or g.user_subject_id = c.operator_id)
  and (g.bound_session_id is null or g.bound_session_id = c.id)
  and (g.bound_server is null or g.bound_server = $3)
  and (g.bound_tool is null or g.bound_tool = $4)
  and (g.granted_by_role = 'admin' or not (select kept_to_admins from approval))
  and not exists (select from prior)`;

const checkAndConsumeStatement = `
  with prior as materialized (
    select * from grant_uses where call_id = $1
  ), caller as materialized (
    select id, workspace_id, agent_id, operator_id from sessions where id = $2 and ended_at is null
  ), approval as materialized (
    select $6::boolean or exists (
      select from mcp_servers entry
      where entry.workspace_id = (select workspace_id from caller) and entry.approvers = 'admin' and (entry.id = $7
        or jsonb_path_query_array(entry.manifest, '$.tool_scopes.*') @> to_jsonb($5::text))
    ) as kept_to_admins
  ), standing as materialized (
    select g.id from active_grants g cross join caller c
    where ${fitting} and (g.scope = 'persistent' or (g.scope = 'session' and g.session_id = c.id))
    order by (g.scope = 'session'), g.granted_at, g.id limit 1 for share of g
  ), single as (
    update active_grants set consumed_at = clock_timestamp()
    where id = (
      select g.id from active_grants g cross join caller c
      where ${fitting} and g.scope = 'once' and not exists (select from standing)
      order by g.granted_at, g.id limit 1 for update of g
    )
    returning *
  ), used as (
    insert into grant_uses (call_id, grant_id, session_id, server, tool)
    select $1, chosen.id, $2, $3, $4 from (select id from standing union all select id from single) as chosen
    returning grant_id
  ), audited as (
    insert into audit_events
      (id, workspace_id, event, actor_type, actor_id, resource_type, resource_id, resource_name, session_id, data)
    select gen_random_uuid(), single.workspace_id, 'grant.consumed', 'agent', c.agent_id, 'grant', single.id,
      'tool_scope ' || $5, c.id,
      (to_jsonb(single) - array['id', 'workspace_id', 'consumed_at', 'revoked_at',
        'bound_session_id', 'bound_server', 'bound_tool'])
        || jsonb_build_object('call_id', $1::uuid, 'server', $3::text, 'tool', $4::text)
    from single cross join caller c
  )
  select p.grant_id from prior p join grants g on g.id = p.grant_id join caller c on c.id = p.session_id
  where p.server = $3 and p.tool = $4 and g.revoked_at is null
  union all
  select grant_id from used`;

/** The answer to a repetition that overlapped its first check: it waited, and lost the grant or the key to its own call. */
const earlierUseStatement = `
  select u.grant_id from grant_uses u
  join grants g on g.id = u.grant_id and g.revoked_at is null
  join sessions s on s.id = u.session_id and s.ended_at is null
  where u.call_id = $1 and u.session_id = $2 and u.server = $3 and u.tool = $4`;

/**
 * Whether a gated call may pass now, and on which grant; null refuses it. Idempotent by call id: a repeated check answers
 * as the first did, except that a grant revoked in between refuses it. Takes the pool, not a transaction: the decision
 * is committed when it is answered.
 */
export async function checkAndConsume(db: Knex, call: GatedCall): Promise<{ grantId: string } | null> {
  const values = [call.callId, call.sessionId, call.server, call.tool];
  const [use] = await prepared<Use>(db, 'check_and_consume', checkAndConsumeStatement, [
    ...values,
    call.scope,
    call.keptToAdmins,
    call.entryId,
  ]).catch((error: unknown): Use[] => {
    if (hasSqlState(error, sqlState.uniqueViolation)) {
      return [];
    }
    throw error;
  });
  const [found] = use ? [use] : await prepared<Use>(db, 'earlier_use', earlierUseStatement, values);
  return found === undefined ? null : { grantId: found.grant_id };
}

interface Use {
  grant_id: string;
}
