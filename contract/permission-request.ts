/** What an agent asked for; never itself a permission (docs/grants.md#permission-requests). */
import * as z from 'zod';
import { grantScope, requestableGrantType } from './grant.ts';
import { timestamp, uuid } from './names.ts';

export const requestStatus = z.enum(['open', 'approved', 'denied', 'expired', 'cancelled']);
export type RequestStatus = z.infer<typeof requestStatus>;

export const maxJustificationLength = 2000;

/** Input of `request_grant`, `request_permission` and of the event `agent.permission_request`. */
export const permissionRequestInput = z.strictObject({
  grant_type: requestableGrantType,
  details: z.record(z.string(), z.unknown()),
  scope: grantScope,
  justification: z.string().max(20_000),
});
export type PermissionRequestInput = z.infer<typeof permissionRequestInput>;

export const refusedCall = z.strictObject({ server: z.string(), tool: z.string() });

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
