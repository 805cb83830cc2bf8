/** The one record of every approval (docs/grants.md). A new type is one line in `detailsByGrantType`. */
import * as z from 'zod';
import { fieldProblemsOf } from './errors.ts';
import { modelEndpointName } from './model-access.ts';
import { callDigest, secretName, timestamp, toolScope, uuid } from './names.ts';
import { passkeyAnswer } from './passkey.ts';
import { workspaceRole } from './workspace.ts';

export const grantScope = z.enum(['once', 'session', 'persistent']);
export type GrantScope = z.infer<typeof grantScope>;

/**
 * The state of a grant; only an active one permits. `expired`: its session has ended, or its time is over.
 */
export const grantState = z.enum(['active', 'consumed', 'revoked', 'expired']);
export type GrantState = z.infer<typeof grantState>;

/**
 * Why a grant was revoked: by request, its holder left the workspace, its agent was changed or archived, or
 * the workspace was closed.
 */
export const revocationCause = z.enum([
  'by_hand',
  'member_removed',
  'agent_changed',
  'agent_archived',
  'workspace_closed',
]);
export type RevocationCause = z.infer<typeof revocationCause>;

/**
 * The registered schema of each type's `details`: unknown and missing fields are
 * refused on insert and on read.
 */
export const detailsByGrantType = {
  /** The agent may create a session of the named agent. */
  spawn: z.strictObject({ child_agent_id: uuid }),
  /** The holder may call tools that gate on the scope. */
  tool_scope: z.strictObject({ scope: toolScope }),
  /**
   * Zone 2 (docs/secrets.md#two-zones): the agent's own environment may carry this secret. Made by an
   * admin, never requestable.
   */
  agent_env: z.strictObject({ secret_name: secretName }),
  /**
   * The platform may use this secret as the key of the agent's access to a language model, at the named
   * endpoint alone; the agent never has it. Made by an admin, never requestable.
   */
  model_key: z.strictObject({ secret_name: secretName, endpoint: modelEndpointName }),
} as const;

export type GrantType = keyof typeof detailsByGrantType;
export const grantType = z.enum(Object.keys(detailsByGrantType) as [GrantType, ...GrantType[]]);

/** Types that lead to a secret: only an admin makes or revokes one. */
export const secretGrantType = z.enum(['agent_env', 'model_key']);
export type SecretGrantType = z.infer<typeof secretGrantType>;

/** Types that an agent may ask for at run time. */
export const requestableGrantType = z.enum(['tool_scope', 'spawn']);

/** Types whose holder is always an agent. */
export const agentOnlyGrantTypes: ReadonlySet<GrantType> = new Set(['spawn', 'agent_env', 'model_key']);

export type GrantDetails = { [T in GrantType]: z.infer<(typeof detailsByGrantType)[T]> }[GrantType];

/** Details as one of the registered shapes; throws a ZodError for any other. */
export function parseGrantDetails(type: GrantType, details: unknown): GrantDetails {
  return detailsByGrantType[type].parse(details);
}

const content = {
  user_subject_id: uuid.nullable(),
  agent_subject_id: uuid.nullable(),
  grant_type: grantType,
  details: z.record(z.string(), z.unknown()),
  scope: grantScope,
  session_id: uuid.nullable(),
  reason: z.string().max(2000).nullable(),
};

/**
 * Body of `POST /grants`. Shape here; subjects, scope and details are related to each
 * other by `grantProblems`.
 */
export const grantInput = z.strictObject({
  user_subject_id: uuid.nullish().transform((id) => id ?? null),
  agent_subject_id: uuid.nullish().transform((id) => id ?? null),
  grant_type: grantType,
  details: content.details,
  scope: grantScope,
  session_id: uuid.nullish().transform((id) => id ?? null),
  reason: content.reason.optional().transform((reason) => reason ?? null),
  /** Of a `persistent` grant: when it ends by itself. Absent, as null is: when somebody revokes it. */
  expires_at: timestamp
    .nullish()
    .transform((at) => at ?? undefined)
    .optional(),
  /** The permission request that this grant answers. */
  request_id: uuid.optional(),
  /**
   * The digest of the refused call that was displayed with the request; required with
   * `request_id` where it has one.
   */
  call_digest: callDigest.optional(),
  /** Binds a `once` grant to exactly that call. */
  exact_call: z.literal(true).optional(),
  /** Where the scope or the workspace asks for it. */
  passkey: passkeyAnswer.optional(),
});
export type GrantInput = z.infer<typeof grantInput>;

export const grant = z.strictObject({
  id: uuid,
  workspace_id: uuid,
  ...content,
  consumed_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  granted_by_user_id: uuid,
  /** The maker's role when they made it: scopes that are restricted to admins need an admin's grant. */
  granted_by_role: workspaceRole,
  granted_at: timestamp,
  /** When a `persistent` grant ends by itself; null: never. */
  expires_at: timestamp.nullable(),
  /**
   * The request that led to this grant, and, for a `once` grant of a request, the call that it is bound to.
   */
  request_id: uuid.nullable(),
  bound_to: z
    .strictObject({
      session_id: uuid,
      server: z.string().nullable(),
      tool: z.string().nullable(),
      /** Of the one call that it permits; null: any arguments. */
      call_digest: callDigest.nullable(),
    })
    .nullable(),
});
export type Grant = z.infer<typeof grant>;

/**
 * A row as stored, for people to see and to revoke. One that is not `readable` has a type or details that no
 * registered schema accepts: it is not a grant and permits nothing.
 */
export const storedGrant = grant.extend({
  grant_type: z.string(),
  reason: z.string().nullable(),
  readable: z.boolean(),
});
export type StoredGrant = z.infer<typeof storedGrant>;

/** Its type, or null for a row that is not a grant. */
export const knownGrantType = (stored: StoredGrant): GrantType | null =>
  stored.readable ? grantType.parse(stored.grant_type) : null;

/** What a grant or a request is about, in readable form: `tool_scope files.write`. */
export function subjectMatter(grantType: string, details: Record<string, unknown>): string {
  return [grantType, ...Object.values(details)].map(String).join(' ');
}

/** Ways in which a grant's fields contradict each other. Empty when valid. */
export function grantProblems(input: GrantInput): { path: string; code: string; message: string }[] {
  const problems: { path: string; code: string; message: string }[] = [];
  const add = (path: string, message: string) => problems.push({ path, code: 'invalid_grant', message });
  if ((input.user_subject_id === null) === (input.agent_subject_id === null)) {
    add('user_subject_id', 'exactly one of user_subject_id and agent_subject_id is required');
  }
  if (input.user_subject_id !== null && agentOnlyGrantTypes.has(input.grant_type)) {
    add('user_subject_id', `the subject of a ${input.grant_type} grant is always an agent`);
  }
  if (input.scope === 'session' && input.session_id === null) {
    add('session_id', 'is required when scope is session');
  }
  if (input.scope !== 'session' && input.session_id !== null) {
    add('session_id', `must be absent when scope is ${input.scope}`);
  }
  if (input.request_id === undefined && input.call_digest !== undefined) {
    add('call_digest', 'must be absent without request_id: it is of the call of that request');
  }
  if (input.exact_call === true && input.request_id === undefined) {
    add('exact_call', 'needs request_id: only the refused call of a request can be bound');
  }
  if (input.exact_call === true && input.scope !== 'once') {
    add(
      'exact_call',
      `must be absent when scope is ${input.scope}: only a once grant permits exactly one call`,
    );
  }
  if (input.scope !== 'persistent' && input.expires_at !== undefined) {
    add('expires_at', `must be absent when scope is ${input.scope}: only a persistent grant ends at a time`);
  }
  const details = detailsByGrantType[input.grant_type].safeParse(input.details);
  for (const { path, message } of details.success ? [] : fieldProblemsOf(details.error, ['details'])) {
    add(path, message);
  }
  return problems;
}

/** Width of a scope: an approval may not be wider than requested. */
export const scopeWidth: Record<GrantScope, number> = { once: 0, session: 1, persistent: 2 };
