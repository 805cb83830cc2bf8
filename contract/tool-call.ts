/** One tool call in the audit trail, as sidecar, spool, API and worker pass it on. */
import * as z from 'zod';
import { answerFault } from './answer-fault.ts';
import { callOutcome } from './audit-event.ts';
import { chosenId, maxStoredInteger, maxToolNameCharacters, timestamp, uuid } from './names.ts';

/**
 * An agent's text as the database can store it: NUL and lone surrogates become U+FFFD. One call with such a
 * name would otherwise block every record after it.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/**
 * Arguments or result of a call as JSON text, truncated when too large; only where the
 * workspace enables payloads.
 */
export const callPayload = z.strictObject({
  json: z.string().overwrite(storableText),
  truncated: z.boolean(),
});
export type CallPayload = z.infer<typeof callPayload>;

/** What is known of a call before it is forwarded. */
export const startedCall = z.strictObject({
  call_id: chosenId,
  server: z.string().max(64),
  tool: z.string().max(maxToolNameCharacters).overwrite(storableText),
  started_at: timestamp,
  arguments: callPayload.optional(),
});
export type StartedCall = z.infer<typeof startedCall>;

/** How a call ended. */
export const callEnd = z.strictObject({
  duration_ms: z.number().nonnegative(),
  outcome: callOutcome,
  /** Why the server's answer did not reach the agent; absent where it did, or none came. */
  reason: answerFault.optional(),
  result: callPayload.optional(),
});
export type CallEnd = z.infer<typeof callEnd>;

export const callRecord = startedCall.extend(callEnd.shape);
export type CallRecord = z.infer<typeof callRecord>;

/**
 * Calls of one tool within one minute that were refused beyond a limit: kept as a number, not one by one.
 * Once the platform has it, a count never changes; later calls of that minute are in a count of their own.
 */
export const refusedCallCount = z.strictObject({
  count_id: chosenId,
  server: z.string().max(64),
  tool: z.string().max(maxToolNameCharacters).overwrite(storableText),
  outcome: callOutcome,
  /** Start of the minute. */
  minute: timestamp,
  count: z.int().positive().max(maxStoredInteger),
});
export type RefusedCallCount = z.infer<typeof refusedCallCount>;

/** All such counts of one tool of a session, as the session's readers see them. */
export const refusedCalls = z.strictObject({
  server: z.string(),
  tool: z.string(),
  outcome: callOutcome,
  count: z.int().positive(),
  /** The starts of the first and of the last minute in which calls were refused. */
  first_minute: timestamp,
  last_minute: timestamp,
});
export type RefusedCalls = z.infer<typeof refusedCalls>;

/** What the workspace kept of one call; null where it kept none. */
export const keptPayloads = z.strictObject({
  arguments: callPayload.nullable(),
  result: callPayload.nullable(),
});
export type KeptPayloads = z.infer<typeof keptPayloads>;

/** Data of `session.mcp.tool_called`. */
export const toolCalledData = z.strictObject({
  name: z.string(),
  tool: z.string(),
  duration_ms: z.number().nonnegative(),
  granted_via: uuid.nullable(),
  outcome: callOutcome,
  reason: answerFault.optional(),
  arguments: callPayload.optional(),
  result: callPayload.optional(),
});

/** A call as the readers of its session see it: never its arguments or result. */
export const toolCall = z.strictObject({
  id: uuid,
  at: timestamp,
  server: z.string(),
  tool: z.string(),
  duration_ms: z.number().nonnegative(),
  outcome: callOutcome,
  /** Why the server's answer did not reach the agent; null where it did, or none came. */
  reason: answerFault.nullable(),
  /** The grant that it passed on; null where none was needed, or none covered it. */
  granted_via: uuid.nullable(),
});
export type ToolCall = z.infer<typeof toolCall>;
