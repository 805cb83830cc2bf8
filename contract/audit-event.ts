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
  'workspace.member.rules_held_back',
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
  'workspace.repository.set',
  'workspace.repository.removed',
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
  'passkey.registered',
  'passkey.renamed',
  'passkey.removed',
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
  'session.patch_requested',
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

/** A view of the trail: what belongs together for who reads it. An event may be in several. */
export const auditKind = z.enum(['decisions', 'refusals', 'calls', 'changes', 'sign_ins']);
export type AuditKind = z.infer<typeof auditKind>;

const beginsWith = (...starts: string[]) =>
  auditEventName.options.filter((name) => starts.some((start) => name.startsWith(start)));
const notChanges = new Set<string>([
  ...beginsWith('session.', 'permission_request.', 'connection.', 'model.'),
  ...['grant.consumed', 'workspace.mcp.checked', 'workspace.mcp.check_output_read'],
]);

export const eventsByKind: Record<AuditKind, readonly AuditEventName[]> = {
  decisions: [
    ...beginsWith('permission_request.', 'decision.'),
    ...(['grant.created', 'grant.revoked'] as const),
  ],
  /** With an outcome of `refusedOutcomes`. */
  refusals: ['session.mcp.tool_called', 'session.mcp.calls_refused'],
  calls: ['session.mcp.tool_called', 'session.mcp.calls_refused'],
  /** What people, or the platform for them, made different: no calls, requests, runs and sign-ins. */
  changes: auditEventName.options.filter((name) => !notChanges.has(name)),
  sign_ins: beginsWith('connection.'),
};

/** Of calls that the platform did not let through. */
export const refusedOutcomes: readonly CallOutcome[] = ['permission_required', 'refused'];

/** How often something is among the entries that were counted. */
const counted = <Value extends z.ZodType>(value: Value) =>
  z.array(z.strictObject({ value, count: z.int().min(1) }));

/** Of the newest entries, most frequent first. */
export const auditEventCounts = z.strictObject({
  events: counted(auditEventName),
  /** Of tool calls. */
  outcomes: counted(callOutcome),
  /** As `server.tool`, of tool calls; the most frequent ones. */
  tools: counted(z.string()),
  total: z.int().min(0),
  /** False where there are older entries, which were not counted. */
  is_whole: z.boolean(),
});
export type AuditEventCounts = z.infer<typeof auditEventCounts>;

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
