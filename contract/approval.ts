/** A human's approval as the API signs it (Ed25519) and the one grant-writing activity verifies it. */
import * as z from 'zod';
import { grantScope, grantType } from './grant.ts';
import { callDigest, timestamp, uuid } from './names.ts';
import { passkeyAssertion } from './passkey.ts';
import { workspaceRole } from './workspace.ts';

/** Claims of the approval. It names the grant's id, so it works once, and it expires (`exp`, seconds). */
export const approvalClaims = z.strictObject({
  aud: z.literal('platform-approval'),
  /** The decision row that carries this approval. */
  jti: uuid,
  iat: z.int(),
  exp: z.int(),
  grant: z.strictObject({
    id: uuid,
    workspace_id: uuid,
    user_subject_id: uuid.nullable(),
    agent_subject_id: uuid.nullable(),
    grant_type: grantType,
    details: z.record(z.string(), z.unknown()),
    scope: grantScope,
    session_id: uuid.nullable(),
    reason: z.string().nullable(),
    granted_by_user_id: uuid,
    /** The maker's role when they approved. */
    granted_by_role: workspaceRole,
    request_id: uuid.nullable(),
    /** Of the one call that the grant permits; null: any arguments. */
    bound_call_digest: callDigest.nullable(),
    /** When the grant ends by itself; null: never. */
    expires_at: timestamp.nullable(),
  }),
  /**
   * Over the hash of `grant` and of when it began, by who approved; null: none was asked for. One that does
   * not say when it began is of an earlier release: it can be read, and approves nothing.
   */
  passkey: passkeyAssertion.extend({ begun_at: timestamp.optional() }).nullable().default(null),
});
export type ApprovalClaims = z.infer<typeof approvalClaims>;
