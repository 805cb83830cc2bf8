/** Audit events: who changed what, and every tool call (docs/audit.md). */
import * as z from 'zod';
import { timestamp, uuid } from './names.ts';
import { actor } from './session-event.ts';

export const auditEventName = z.enum([
  'workspace.created',
  'workspace.settings_updated',
  'workspace.closed',
  'workspace.reopened',
  'workspace.embedding_provider.set',
  'workspace.embedding_provider.removed',
  'workspace.member.added',
  'workspace.member.role_changed',
  'workspace.member.removed',
  'workspace.member.moved',
  'workspace.secret.set',
  'workspace.secret.replaced',
  'workspace.secret.cleared',
  'workspace.secret.restricted',
  'workspace.mcp.registered',
  'workspace.mcp.updated',
  'workspace.mcp.removed',
  'workspace.mcp.checked',
  'workspace.mcp.check_output_read',
  'workspace.mcp.tools_pinned',
  'workspace.mcp.tools_changed',
  'workspace.mcp.tools_accepted',
  'workspace.mcp.registration_completed',
  'workspace.mcp.registration_failed',
  'workspace.mcp.registration_retried',
  'workspace.mcp.issuer_accepted',
  'workspace.mcp.client_deleted',
  'workspace.channel.created',
  'workspace.channel.updated',
  'workspace.channel.removed',
  'connection.created',
  'connection.ended',
  'connection.refused',
  'connection.revoked',
  'connection.tokens_refused',
  'agent.created',
  'agent.updated',
  'agent.archived',
  'agent.unarchived',
  'agent.removed',
  'agent.env_updated',
  'agent.mcp.attached',
  'agent.mcp.detached',
  'agent.mcp.env_updated',
  'grant.created',
  'grant.consumed',
  'grant.revoked',
  'decision.withdrawn',
  'permission_request.created',
  'permission_request.approved',
  'permission_request.denied',
  'permission_request.expired',
  'permission_request.cancelled',
  'schedule.created',
  'schedule.updated',
  'schedule.paused',
  'schedule.resumed',
  'schedule.run_requested',
  'schedule.removed',
  'session.created',
  'session.ended',
  'session.muted',
  'session.unmuted',
  'session.renamed',
  'session.output_read',
  'session.message.posted',
  'session.preview.deployed',
  'session.preview.ended',
  'model.budget_reached',
  'session.mcp.tool_called',
  'session.mcp.calls_refused',
]);
export type AuditEventName = z.infer<typeof auditEventName>;

/**
 * How a tool call ended. `unknown`: no answer was seen before the session or the server ended. `waiting`: its
 * operator has to sign in to the server first, and the agent makes it again.
 */
export const callOutcome = z.enum([
  'ok',
  'tool_error',
  'protocol_error',
  'permission_required',
  'waiting',
  'refused',
  'server_unavailable',
  'cancelled',
  'unknown',
]);
export type CallOutcome = z.infer<typeof callOutcome>;

export const auditEvent = z.strictObject({
  id: uuid,
  event: auditEventName,
  at: timestamp,
  /** `name`: of an agent, as it was then; null for others. */
  actor: actor.extend({ name: z.string().nullable() }),
  workspace_id: uuid,
  resource: z.strictObject({ type: z.string(), id: z.string(), name: z.string() }),
  session_id: uuid.nullable(),
  data: z.record(z.string(), z.unknown()),
});
export type AuditEvent = z.infer<typeof auditEvent>;
