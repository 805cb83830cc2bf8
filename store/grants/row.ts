/**
 * A grant as its row has it, as people see it, and as audit records keep it: with its content, since a
 * cascade may remove the row later.
 */
import * as z from 'zod';
import {
  type Grant,
  grant,
  parseGrantDetails,
  type StoredGrant,
  storedGrant,
  subjectMatter,
} from '../../contract/grant.ts';

/** As it is stored: it may have a type or details that no registered schema accepts. */
export const grantRow = z.object({
  id: z.string(),
  workspace_id: z.string(),
  user_subject_id: z.string().nullable(),
  agent_subject_id: z.string().nullable(),
  grant_type: z.string(),
  details: z.unknown(),
  scope: z.string(),
  session_id: z.string().nullable(),
  consumed_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  granted_by_user_id: z.string(),
  granted_by_role: z.string(),
  granted_at: z.string(),
  expires_at: z.string().nullable(),
  reason: z.string().nullable(),
  request_id: z.string().nullable(),
  bound_session_id: z.string().nullable(),
  bound_server: z.string().nullable(),
  bound_tool: z.string().nullable(),
  bound_call_digest: z.string().nullable(),
});
type GrantRow = z.infer<typeof grantRow>;
export const grantColumns = Object.keys(grantRow.shape) as (keyof GrantRow)[];

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

function fieldsOf(row: GrantRow) {
  const {
    bound_session_id: session,
    bound_server: server,
    bound_tool: tool,
    bound_call_digest,
    ...rest
  } = row;
  const bound_to =
    session === null ? null : { session_id: session, server, tool, call_digest: bound_call_digest };
  return { ...rest, bound_to };
}

/** What is no content of a grant: where it is, and its state. */
export const notContent = ['id', 'workspace_id', 'consumed_at', 'revoked_at'] as const;

/** The immutable fields of a grant. */
export function contentOf(grant: Grant | StoredGrant): Record<string, unknown> {
  const left = new Set<string>([...notContent, 'readable']);
  return Object.fromEntries(Object.entries(grant).filter(([field]) => !left.has(field)));
}

export const grantResource = ({ id, grant_type, details }: Grant | StoredGrant) => ({
  type: 'grant' as const,
  id,
  name: subjectMatter(grant_type, details),
});
