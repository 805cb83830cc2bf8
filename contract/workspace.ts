/** Tenants, their members and their settings. */
import * as z from 'zod';
import { timestamp, uuid, workspaceSlug } from './names.ts';

export const workspaceRole = z.enum(['admin', 'member']);
export type WorkspaceRole = z.infer<typeof workspaceRole>;

export const workspaceSettings = z.strictObject({
  /** Adds arguments and results to `session.mcp.tool_called`; off, since they may hold personal data. */
  log_tool_payloads: z.boolean(),
  /** When false, `request_grant` and `request_permission` answer `runtime_requests_disabled`. */
  allow_runtime_permission_requests: z.boolean(),
  /** Keeps the arguments of a refused call, sealed, for those who decide on the request that follows. */
  keep_refused_calls: z.boolean(),
  /** Lets members create `persistent` grants for agents that they own. */
  members_grant_persistent: z.boolean(),
  /** Each grant has to be approved with a passkey. */
  require_passkey: z.boolean(),
  /**
   * Days after which records of tool calls are removed from the audit trail; null keeps them. The
   * operator sets the minimum.
   */
  tool_call_retention_days: z.int().min(1).max(36_500).nullable(),
});
export type WorkspaceSettings = z.infer<typeof workspaceSettings>;

export const workspace = z.strictObject({
  id: uuid,
  slug: workspaceSlug,
  name: z.string(),
  settings: workspaceSettings,
  created_at: timestamp,
  updated_at: timestamp,
  /**
   * Nothing begins in a closed workspace, and little is changed; it can still be read. Null while it is open.
   */
  closed_at: timestamp.nullable(),
  closed_by: uuid.nullable(),
  /** Until then an admin can reopen it; later it is removed permanently. */
  reopenable_until: timestamp.nullable(),
});
export type Workspace = z.infer<typeof workspace>;

/** A person as shown to others. Known by `(issuer, subject)`, never by e-mail alone. */
export const user = z.strictObject({ id: uuid, email: z.string(), name: z.string() });
export type User = z.infer<typeof user>;

/** What a membership comes from, and so what may end it without a person: a rule ends only its own. */
export const memberSource = z.enum(['person', 'rule']);
export type MemberSource = z.infer<typeof memberSource>;

export const member = z.strictObject({
  user,
  role: workspaceRole,
  /** `rule`: one of the operator's for groups of the identity provider (docs/sign-in.md#groups). */
  made_by: memberSource,
  added_at: timestamp,
});
export type Member = z.infer<typeof member>;

/** A member as shown to other members: all of them see who it is, only admins the address (else null). */
export const listedMember = member.extend({ user: user.extend({ email: z.string().nullable() }) });
export type ListedMember = z.infer<typeof listedMember>;
