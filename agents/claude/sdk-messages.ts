/**
 * What the SDK says of a run, as far as this agent acts on it. Anything else, also of a
 * later version, is ignored.
 */
import * as z from 'zod';
import type { RunStep } from '../model/run-step.ts';

const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const callBlock = z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string() });
const resultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish(),
  content: z.union([z.string(), z.array(z.unknown())]).nullish(),
});

const initMessage = z.object({
  type: z.literal('system'),
  subtype: z.literal('init'),
  mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })),
});
const retryMessage = z.object({
  type: z.literal('system'),
  subtype: z.literal('api_retry'),
  attempt: z.number(),
  max_retries: z.number(),
  error_status: z.number().nullable(),
});
/** `error`: the text is not the model's but says why its endpoint gave none, as the turn's end does. */
const assistantMessage = z.object({
  type: z.literal('assistant'),
  error: z.string().optional(),
  message: z.object({ content: z.array(z.unknown()) }),
});
/** Of a text that is still written: where it begins, and each piece. The whole text comes after it. */
const partialMessage = z.object({
  type: z.literal('stream_event'),
  parent_tool_use_id: z.null().optional(),
  event: z.union([
    z.object({ type: z.literal('content_block_start'), content_block: textBlock }),
    z.object({
      type: z.literal('content_block_delta'),
      delta: z.object({ type: z.literal('text_delta'), text: z.string() }),
    }),
  ]),
});
const userMessage = z.object({
  type: z.literal('user'),
  message: z.object({ content: z.array(z.unknown()) }),
});
const endMessage = z.object({
  type: z.literal('result'),
  is_error: z.boolean(),
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
  queued_turn_count: z.number().optional(),
});

/** One message of the SDK, as the steps that it reports. */
export function readSdkMessage(message: unknown): RunStep[] {
  return (
    stepsOf(initMessage, message, ({ mcp_servers: servers }) => [
      {
        type: 'started',
        failedServers: servers.filter(({ status }) => status === 'failed').map(({ name }) => name),
      },
    ]) ??
    stepsOf(retryMessage, message, ({ attempt, max_retries, error_status }) => [
      { type: 'retry', attempt, attempts: max_retries, status: error_status },
    ]) ??
    stepsOf(assistantMessage, message, ({ error, message: { content } }) =>
      error === undefined ? content.flatMap(saidOrCalled) : [],
    ) ??
    stepsOf(partialMessage, message, ({ event }) => [
      event.type === 'content_block_start'
        ? { type: 'piece', text: event.content_block.text, begins: true }
        : { type: 'piece', text: event.delta.text, begins: false },
    ]) ??
    stepsOf(userMessage, message, ({ message: { content } }) => content.flatMap(resulted)) ??
    stepsOf(endMessage, message, ({ is_error, result, errors, queued_turn_count: queued = 0 }) => [
      {
        type: 'turn_ended',
        error: is_error ? (errors?.join('; ') ?? result ?? 'the turn failed') : null,
        queued,
      },
    ]) ??
    []
  );
}

function stepsOf<Schema extends z.ZodType>(
  schema: Schema,
  message: unknown,
  read: (parsed: z.output<Schema>) => RunStep[],
): RunStep[] | undefined {
  const parsed = schema.safeParse(message);
  return parsed.success ? read(parsed.data) : undefined;
}

function saidOrCalled(block: unknown): RunStep[] {
  const text = textBlock.safeParse(block);
  if (text.success) {
    return text.data.text.trim() === '' ? [] : [{ type: 'text', text: text.data.text }];
  }
  const call = callBlock.safeParse(block);
  return call.success ? [{ type: 'call', id: call.data.id, tool: call.data.name }] : [];
}

function resulted(block: unknown): RunStep[] {
  const result = resultBlock.safeParse(block);
  if (!result.success) {
    return [];
  }
  const { tool_use_id: id, is_error, content } = result.data;
  return [{ type: 'result', id, failed: is_error === true, text: textOf(content) }];
}

function textOf(content: string | unknown[] | null | undefined): string {
  return typeof content === 'string'
    ? content
    : (content ?? [])
        .map((block) => textBlock.safeParse(block).data?.text ?? '')
        .join('\n')
        .trim();
}
