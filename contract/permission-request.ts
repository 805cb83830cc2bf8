/** What an agent asked for; never itself a permission (docs/grants.md#permission-requests). */
import * as z from 'zod';
import { grantScope, requestableGrantType } from './grant.ts';
import { callDigest, named, timestamp, uuid } from './names.ts';
import { differenceKind } from './tool-definitions.ts';

export const requestStatus = z.enum(['open', 'approved', 'denied', 'expired', 'cancelled']);
export type RequestStatus = z.infer<typeof requestStatus>;

export const maxJustificationLength = 2000;

/** Arguments beyond this are too large to show, and no grant is bound to them. */
export const maxShownArgumentsBytes = 16 * 1024;

/** Input of `request_grant`, `request_permission` and of the event `agent.permission_request`. */
export const permissionRequestInput = z.strictObject({
  grant_type: requestableGrantType,
  details: z.record(z.string(), z.unknown()),
  scope: grantScope,
  justification: z.string().max(20_000),
});
export type PermissionRequestInput = z.infer<typeof permissionRequestInput>;

/** The call that was refused before the agent asked: recorded by the platform, not claimed by the agent. */
export const refusedCall = z.strictObject({
  server: z.string(),
  tool: z.string(),
  /** Null when the arguments were not kept, or are too large to show. */
  digest: callDigest.nullable(),
  /**
   * Of the arguments: of their canonical form, or as they were written when too large to show; null when
   * nothing is known of them.
   */
  arguments_size_bytes: z.int().min(0).nullable(),
});
export type RefusedCall = z.infer<typeof refusedCall>;

/**
 * The same as the sidecar reports it. `arguments`: their canonical text; absent when too large, or when the
 * call says more than them.
 */
export const reportedCall = z.strictObject({
  server: z.string(),
  tool: z.string(),
  arguments: z
    .string()
    .refine((text) => new TextEncoder().encode(text).byteLength <= maxShownArgumentsBytes, {
      message: 'is too large to show',
    })
    .optional(),
  arguments_size_bytes: z.int().min(0).optional(),
});
export type ReportedCall = z.infer<typeof reportedCall>;

export const permissionRequest = z.strictObject({
  id: uuid,
  session_id: uuid,
  agent_id: uuid,
  grant_type: requestableGrantType,
  details: z.record(z.string(), z.unknown()),
  scope: grantScope,
  justification: z.string(),
  status: requestStatus,
  refused_call: refusedCall.nullable(),
  grant_id: uuid.nullable(),
  decided_by: uuid.nullable(),
  decided_at: timestamp.nullable(),
  reason: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp,
});
export type PermissionRequest = z.infer<typeof permissionRequest>;

/** A tool that is not as an admin accepted it; `new`: nothing of it is accepted. Never what it says. */
export const changedTool = z.strictObject({ server: z.string(), tool: z.string(), kind: differenceKind });
export type ChangedTool = z.infer<typeof changedTool>;

/**
 * What an agent asked before of the same tool, or of the same kind where no call was refused: counted by how
 * it ended, with the last that people decided. Only of sessions that the reader may read.
 */
export const earlierRequests = z.strictObject({
  approved: z.int(),
  denied: z.int(),
  /** Nobody answered them: they expired, or their session ended. */
  unanswered: z.int(),
  /** The agent may have asked more often than is looked at; always so for who may read only some sessions. */
  is_partial: z.boolean(),
  /** The last one first. */
  decided: z.array(
    z.strictObject({
      id: uuid,
      session: z.strictObject({ id: uuid, title: z.string() }),
      status: z.enum(['approved', 'denied']),
      decided_at: timestamp,
      /** Null when the person was deleted. */
      decider: named.nullable(),
      /** Of the grant that approved it: how far it went, and whether it was for that call alone. */
      grant: z
        .strictObject({ scope: grantScope, exact_call: z.boolean(), expires_at: timestamp.nullable() })
        .nullable(),
    }),
  ),
});
export type EarlierRequests = z.infer<typeof earlierRequests>;

/** The outcome as the agent reads it, next to the text of the message. */
export const permissionDecision = z.strictObject({
  request_id: uuid,
  grant_type: requestableGrantType,
  details: z.record(z.string(), z.unknown()),
  status: z.enum(['approved', 'denied', 'expired', 'cancelled']),
  scope: grantScope.nullable(),
  grant_id: uuid.nullable(),
  reason: z.string().nullable(),
});
export type PermissionDecision = z.infer<typeof permissionDecision>;
