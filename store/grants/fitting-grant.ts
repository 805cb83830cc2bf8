/**
 * Parts of the statements that check calls and revoke grants. Which grants fit a call: `g` is a row of
 * `active_grants`, `c` the session that calls.
 */

/** Names of parameters or columns, or whole expressions. */
interface GatedCall {
  server: string;
  tool: string;
  scope: string;
  adminOnly: string;
  /** Whether the server is one that people sign in to. */
  signsIn: string;
}

/**
 * Rows whose details are exactly the scope; an agent's grant, or one of the user who drives this
 * session; made by an admin where the scope is restricted to admins, which is evaluated only for a grant
 * that a member made. Where a person's sign-in goes with the call, an agent's grant is an admin's, or of
 * that person, or of the person at the root for a session that nobody drives; that is evaluated only for
 * a grant of somebody else.
 */
export const fittingGrant = ({ server, tool, scope, adminOnly, signsIn }: GatedCall): string => `
  g.workspace_id = c.workspace_id and g.grant_type = 'tool_scope'
  and g.details = jsonb_build_object('scope', ${scope})
  and (g.agent_subject_id = c.agent_id or g.user_subject_id = c.operator_id)
  and (g.bound_session_id is null or g.bound_session_id = c.id)
  and (g.bound_server is null or g.bound_server = ${server})
  and (g.bound_tool is null or g.bound_tool = ${tool})
  and (g.granted_by_role = 'admin' or not ${adminOnly})
  and (g.agent_subject_id is null or g.granted_by_role = 'admin'
    or g.granted_by_user_id = coalesce(c.operator_id, c.root_operator_id) or not ${signsIn})`;

/** Of a session: its workspace was not closed. */
export const inOpenWorkspace = (session: string): string =>
  `exists (select from workspaces w where w.id = ${session}.workspace_id and w.closed_at is null)`;

/** Of a grant whose use is recorded already: its time is not over. Only `active_grants` compares it. */
export const isInTime = (grant: string): string =>
  `(${grant}.expires_at is null or exists (select from active_grants a where a.id = ${grant}.id))`;

/**
 * Whether people sign in to this server of a session, as it froze it. What is not known
 * of a server counts as yes.
 */
export const signsInTo = (sessionId: string, server: string): string => `exists (
    select from session_configurations s cross join jsonb_array_elements(s.configuration -> 'servers') as frozen
    where s.session_id = ${sessionId} and frozen ->> 'name' = ${server} and frozen -> 'shape' ->> 'type' = 'remote'
      and coalesce(frozen ->> 'sign_in', 'oauth') = 'oauth'
  )`;

/** The same of an entry of today's catalog, a row of `mcp_servers`. */
export const signsInToEntry = (
  entry: string,
): string => `(${entry}.shape ->> 'type' = 'remote' and not exists (
    select from mcp_registrations r where r.mcp_server_id = ${entry}.id and r.sign_in <> 'oauth'
  ))`;

/** One that any number of calls may pass on, and which of several is taken. */
export const standingGrant = {
  condition: `(g.scope = 'persistent' or (g.scope = 'session' and g.session_id = c.id))`,
  order: `(g.scope = 'session'), g.granted_at, g.id`,
};

/**
 * The key of an advisory lock, which whoever revokes the grant takes first. Row locks that are shared go on
 * being given while an update waits, so many checks could delay a revoke for long; those of many calls take
 * this one as well, and only while nobody waits for it.
 */
export const revokeKey = (id: string): string => `hashtextextended(${id}::text, 0)`;
