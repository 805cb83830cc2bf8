/**
 * What an agent sees of the platform: its configuration file, its input and the events it may publish
 * (docs/agent-contract.md).
 */
import * as z from 'zod';
import { agentKind } from './agent.ts';
import { named, timestamp, uuid } from './names.ts';
import { permissionDecision, permissionRequestInput } from './permission-request.ts';
import { payloadByEventType } from './session-event.ts';

/** One entry of the common desktop-client map. */
export const mcpServerLaunch = z.strictObject({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
});

/** `/run/platform/agent/config.json`. */
export const agentConfig = z.strictObject({
  session_id: uuid,
  agent: z.strictObject({
    id: uuid,
    name: z.string(),
    kind: agentKind,
    instructions: z.string(),
    model: z.string().nullable(),
  }),
  prompt: z.string(),
  /** False in a session that nobody drives, and absent in others: then a person answers questions. */
  has_operator: z.boolean().optional(),
  mcpServers: z.record(z.string(), mcpServerLaunch),
});
export type AgentConfig = z.infer<typeof agentConfig>;

/** The session that a message comes from: the one that started this session, or one that it started. */
export const messageSender = z.strictObject({
  relation: z.enum(['parent', 'child']),
  session_id: uuid,
  agent: named,
});
export type MessageSender = z.infer<typeof messageSender>;

/** One message of `GET /input` (SSE: `id` is `seq`, `event` is `message`, `data` is this as JSON). */
export const inputMessage = z.strictObject({
  id: uuid,
  seq: z.int().positive(),
  /**
   * Whose words the text is follows from this alone: those of a `session_message` are another agent's, all
   * others the operator's or the platform's.
   */
  kind: z.enum(['user_message', 'permission_decision', 'input_answer', 'session_message', 'child_ended']),
  text: z.string(),
  decision: permissionDecision.nullable(),
  /** The `request_input` that this message answers. */
  input_request_id: uuid.nullable(),
  /** Of `session_message` and `child_ended`, and of nothing else. */
  sender: messageSender.optional(),
  at: timestamp,
});
export type InputMessage = z.infer<typeof inputMessage>;

/**
 * Body of `POST /event`: what an agent may publish. The platform sets id, actor and time;
 * other types are refused.
 */
export const agentEventInput = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('agent.status'), payload: payloadByEventType['agent.status'] }),
  z.strictObject({ type: z.literal('agent.message'), payload: payloadByEventType['agent.message'] }),
  z.strictObject({ type: z.literal('agent.error'), payload: payloadByEventType['agent.error'] }),
  z.strictObject({ type: z.literal('agent.permission_request'), payload: permissionRequestInput }),
]);
export type AgentEventInput = z.infer<typeof agentEventInput>;
