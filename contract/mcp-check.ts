/**
 * A check: one try of a catalog entry, before an agent attaches it. What its server says about its tools is
 * only the server's claim.
 */
import * as z from 'zod';
import { attachmentInput } from './agent.ts';
import { entryName, maxToolNameCharacters, timestamp, uuid } from './names.ts';
import { sessionProcess } from './session-process.ts';

export const mcpCheckStatus = z.enum(['pending', 'starting', 'running', 'completed', 'failed', 'cancelled']);
export type McpCheckStatus = z.infer<typeof mcpCheckStatus>;
export const finalMcpCheckStatus = z.enum(['completed', 'failed', 'cancelled']);
export type FinalMcpCheckStatus = z.infer<typeof finalMcpCheckStatus>;
export const hasMcpCheckEnded = (status: McpCheckStatus): status is FinalMcpCheckStatus =>
  finalMcpCheckStatus.safeParse(status).success;

/** Limits of a stored listing; what a server sends beyond them is counted or truncated. */
export const toolListingLimits = {
  tools: 500,
  nameCharacters: maxToolNameCharacters,
  titleCharacters: 200,
  descriptionCharacters: 1000,
  /** Of all names, titles and descriptions together. */
  textBytes: 256 * 1024,
  pages: 100,
} as const;
/** Of the listing as JSON: twice its text, and the hints. */
export const maxListingBytes = 1024 * 1024;

/** The protocol's hints, as the server gave them; null where it gave none. */
export const toolHints = z.strictObject({
  read_only: z.boolean().nullable(),
  destructive: z.boolean().nullable(),
  idempotent: z.boolean().nullable(),
  open_world: z.boolean().nullable(),
});

export const claimedTool = z.strictObject({
  name: z.string().min(1).max(toolListingLimits.nameCharacters),
  title: z.string().max(toolListingLimits.titleCharacters).nullable(),
  description: z.string().max(toolListingLimits.descriptionCharacters).nullable(),
  hints: toolHints,
});
export type ClaimedTool = z.infer<typeof claimedTool>;

/**
 * `not_connected`: the server did not answer its first request. `refused`: it answered the request for
 * its tools with an error.
 * `not_understood`: its answer is not valid in the protocol.
 */
export const listingOutcome = z.enum(['listed', 'not_connected', 'refused', 'timed_out', 'not_understood']);

export const toolListing = z.strictObject({
  outcome: listingOutcome,
  tools: z.array(claimedTool).max(toolListingLimits.tools),
  /** Tools that the server listed but `tools` omits: too many, duplicate, or without a valid name. */
  left_out: z.int().min(0),
  /** There were more pages or more text than the limits allow. */
  is_cut: z.boolean(),
  /** From the request for the first page until the last answer. */
  list_ms: z.int().min(0).nullable(),
});
export type ToolListing = z.infer<typeof toolListing>;

/** `env` as an attachment of the entry would have it. */
export const mcpCheckInput = attachmentInput.pick({ env: true });

/** The server's process; the same facts as of a server of a session. */
export const mcpCheckProcess = sessionProcess.omit({
  kind: true,
  name: true,
  ready_limit_seconds: true,
  updated_at: true,
});

export const mcpCheck = z.strictObject({
  id: uuid,
  mcp_server: z.strictObject({ id: uuid, name: entryName, version: z.int().positive() }),
  status: mcpCheckStatus,
  /** Why it failed or was cancelled, as one sentence; never in the server's words. */
  reason: z.string().nullable(),
  started_by: uuid,
  created_at: timestamp,
  /** When its sandbox had started. */
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  /** Null until something is known about it. */
  process: mcpCheckProcess.nullable(),
  /** Of a check that has ended; null when the server listed none. */
  listing: toolListing.nullable(),
});
export type McpCheck = z.infer<typeof mcpCheck>;
