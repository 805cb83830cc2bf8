/** The closed list of session events, the only source of a session's transcript. */
import * as z from 'zod';
import { answerFault } from './answer-fault.ts';
import { grantScope, requestableGrantType } from './grant.ts';
import { chosenId, named, timestamp, uuid } from './names.ts';
import { permissionDecision } from './permission-request.ts';
import { sessionStatus } from './session.ts';
import { failureCause } from './session-process.ts';

/** Free text of an event; larger things are artifacts. */
export const maxEventTextLength = 64 * 1024;
const eventText = z.string().max(maxEventTextLength);
const shortText = z.string().max(1000);

/** A tool that a requested scope would open. */
export const openedTool = z.strictObject({ server: z.string(), tool: z.string() });
/**
 * How many are listed in one place; the others are counted. A catalog may gate tens of
 * thousands with one scope.
 */
export const mostOpenedTools = 200;

/** How many tools an event names. */
export const mostNamedTools = 50;

/** The first tools that a scope opens, by server and name, and how many more there are. */
export const openedTools = z.strictObject({
  tools: z.array(openedTool).max(mostOpenedTools),
  more_tools: z.int().nonnegative(),
});
export type OpenedTools = z.infer<typeof openedTools>;

/** Each type's payload. */
export const payloadByEventType = {
  'session.status_changed': z.strictObject({
    from: sessionStatus.nullable(),
    to: sessionStatus,
    reason: z.string().nullable(),
  }),
  'session.authorization_required': z.strictObject({ server: z.string(), url: z.string() }),
  'session.server_failed': z.strictObject({
    server: z.string(),
    cause: failureCause,
    exit_code: z.int().nullable(),
    signal: z.string().nullable(),
  }),
  /** An answer of the server did not reach the agent: the first time for each reason. */
  'session.answer_refused': z.strictObject({ server: z.string(), reason: answerFault }),
  /**
   * The first names of each, and how many more there are; `refused`: calls of these wait
   * until an admin accepts them.
   */
  'session.tools_changed': z.strictObject({
    server: z.string(),
    new_tools: z.array(z.string()).max(mostNamedTools),
    changed_tools: z.array(z.string()).max(mostNamedTools),
    more_tools: z.int().nonnegative(),
    instructions_changed: z.boolean(),
    refused: z.boolean(),
  }),
  'user.message': z.strictObject({ message_id: uuid, text: z.string() }),
  /** `cut_off`: the agent did not come to its end; what it had written until then. */
  'agent.message': z.strictObject({
    text: eventText,
    channel: shortText.nullable().default(null),
    cut_off: z.literal(true).optional(),
  }),
  /**
   * Posted to a channel of the workspace; its delivery is on the channel's message of the same id.
   * Only the platform writes it.
   */
  'agent.channel_message': z.strictObject({ channel: z.string(), text: z.string() }),
  'agent.status': z.strictObject({ status: shortText, detail: eventText.nullable().default(null) }),
  'agent.artifact': z.strictObject({
    artifact_id: uuid,
    name: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
    sha256: z.string(),
    description: z.string().nullable(),
  }),
  'agent.input_requested': z.strictObject({
    input_request_id: chosenId,
    prompt: eventText,
    options: z.array(shortText).max(50),
  }),
  'agent.shared': z.strictObject({
    share_id: chosenId,
    title: shortText,
    audience: z.string(),
    artifact_id: uuid.nullable(),
    text: eventText.nullable(),
    expires_at: timestamp.nullable(),
  }),
  /** Written by the platform where it stores the preview: no sidecar reports it. */
  'agent.preview': z.strictObject({
    preview_id: uuid,
    title: z.string().nullable(),
    /** Null for a preview of files. */
    service: z.string().nullable(),
    files: z.int(),
    size_bytes: z.int(),
    expires_at: timestamp,
  }),
  'agent.error': z.strictObject({
    message: eventText,
    code: shortText.nullable().default(null),
    fatal: z.boolean().default(false),
  }),
  'agent.permission_request': z.strictObject({
    request_id: uuid,
    grant_type: requestableGrantType,
    details: z.record(z.string(), z.unknown()),
    scope: grantScope,
    justification: z.string(),
    agent: z.strictObject({ id: uuid, name: z.string() }),
    session_id: uuid,
    tools: z.array(openedTool),
    more_tools: z.int().nonnegative(),
    expires_at: timestamp,
  }),
  /** `exact_call`: what was approved is the refused call alone. */
  'permission.decided': permissionDecision.extend({
    decided_by: uuid.nullable(),
    exact_call: z.literal(true).optional(),
  }),
  /**
   * Between a session and the one that started it, in the transcripts of both. `relation`:
   * of the other one to this.
   */
  'session.message': z.strictObject({
    message_id: uuid,
    direction: z.enum(['sent', 'received']),
    relation: z.enum(['parent', 'child']),
    session_id: uuid,
    agent: named,
    text: eventText,
  }),
  'child.started': z.strictObject({ session_id: uuid, agent_id: uuid, label: z.string().nullable() }),
  'child.ended': z.strictObject({ session_id: uuid, status: sessionStatus, reason: z.string().nullable() }),
  'platform.notice': z.strictObject({ code: z.string(), message: z.string() }),
} as const;

export type SessionEventType = keyof typeof payloadByEventType;
export const sessionEventType = z.enum(
  Object.keys(payloadByEventType) as [SessionEventType, ...SessionEventType[]],
);
export type SessionEventPayload<T extends SessionEventType = SessionEventType> = z.input<
  (typeof payloadByEventType)[T]
>;

export const actor = z.strictObject({ type: z.enum(['user', 'agent', 'system']), id: uuid.nullable() });
export type Actor = z.infer<typeof actor>;
export const systemActor: Actor = { type: 'system', id: null };

export const sessionEvent = z.strictObject({
  id: uuid,
  /** Incremented by one within the session. */
  seq: z.int().positive(),
  session_id: uuid,
  type: sessionEventType,
  at: timestamp,
  actor,
  payload: z.record(z.string(), z.unknown()),
});
export type SessionEvent = z.infer<typeof sessionEvent>;

/** A new event; `id` makes writing it twice harmless. */
export type NewSessionEvent = {
  [T in SessionEventType]: { id: string; type: T; actor: Actor; payload: SessionEventPayload<T> };
}[SessionEventType];
