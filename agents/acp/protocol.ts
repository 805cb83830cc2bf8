/**
 * What this client reads of the Agent Client Protocol, version 1 (https://agentclientprotocol.com). Anything
 * else, also of a later version, is ignored.
 */
import * as z from 'zod';

export const protocolVersion = 1;

const capability = z.unknown().optional();
export const initialized = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z
    .object({
      loadSession: z.boolean().optional(),
      sessionCapabilities: z.object({ resume: capability, systemPrompt: capability }).nullish(),
    })
    .nullish(),
});

const choice = z.object({ value: z.string() });
const configOption = z.object({
  id: z.string(),
  category: z.string().nullish(),
  /** Also in groups. */
  options: z
    .array(z.union([choice, z.object({ options: z.array(choice) })]))
    .transform((given) => given.flatMap((each) => ('options' in each ? each.options : [each])))
    .catch([]),
});
/** Also of a session that goes on, whose answer has no id. */
export const openedSession = z.object({
  sessionId: z.string().max(1000).optional(),
  configOptions: z.array(configOption).nullish().catch(null),
});
export type OpenedSession = z.infer<typeof openedSession>;

export const promptAnswer = z.object({ stopReason: z.string() });

const textContent = z.object({ type: z.literal('text'), text: z.string() });
const toolCall = z.object({
  toolCallId: z.string().max(1000),
  title: z.string().nullish(),
  name: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  _meta: z.record(z.string(), z.unknown()).nullish(),
});
export type ToolCall = z.infer<typeof toolCall>;

export const sessionUpdate = z.object({
  sessionId: z.string(),
  update: z.discriminatedUnion('sessionUpdate', [
    z.object({ sessionUpdate: z.literal('agent_message_chunk'), content: textContent }),
    toolCall.extend({ sessionUpdate: z.literal('tool_call') }),
    toolCall.extend({ sessionUpdate: z.literal('tool_call_update') }),
  ]),
});

export const permissionQuestion = z.object({
  toolCall,
  options: z.array(z.object({ optionId: z.string(), kind: z.string() })),
});
