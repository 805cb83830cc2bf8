import { type Grant, grant, parseGrantDetails, type StoredGrant, storedGrant } from '../../contract/grant.ts';

export interface GrantRow {
  id: string;
  workspace_id: string;
  user_subject_id: string | null;
  agent_subject_id: string | null;
  grant_type: string;
  details: unknown;
  scope: string;
  session_id: string | null;
  consumed_at: string | null;
  revoked_at: string | null;
  granted_by_user_id: string;
  granted_by_role: string;
  granted_at: string;
  reason: string | null;
  request_id: string | null;
  bound_session_id: string | null;
  bound_server: string | null;
  bound_tool: string | null;
}

export const grantColumns = [
  'id',
  'workspace_id',
  'user_subject_id',
  'agent_subject_id',
  'grant_type',
  'details',
  'scope',
  'session_id',
  'consumed_at',
  'revoked_at',
  'granted_by_user_id',
  'granted_by_role',
  'granted_at',
  'reason',
  'request_id',
  'bound_session_id',
  'bound_server',
  'bound_tool',
] as const satisfies readonly (keyof GrantRow)[];

/** The row as a grant, or null when its type or details do not parse: such a row is not a grant. */
export function presentGrant(row: GrantRow): Grant | null {
  const parsed = grant.safeParse(fieldsOf(row));
  if (!parsed.success) {
    return null;
  }
  try {
    return { ...parsed.data, details: parseGrantDetails(parsed.data.grant_type, parsed.data.details) };
  } catch {
    return null;
  }
}

/** The row as people see it, whether or not it is a grant. */
export function presentStoredGrant(row: GrantRow): StoredGrant {
  return storedGrant.parse({ ...fieldsOf(row), readable: presentGrant(row) !== null });
}

function fieldsOf({ bound_session_id: session, bound_server: server, bound_tool: tool, ...rest }: GrantRow) {
  return { ...rest, bound_to: session === null ? null : { session_id: session, server, tool } };
}
