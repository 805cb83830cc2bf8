/** Tools of the server `platform` that the API runs, as the sidecar lists and calls them for its agent. */
import * as z from 'zod';
import { chosenId } from './names.ts';

export const platformToolName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be 1 to 64 lowercase letters, digits or underscores');

/** A JSON Schema of an object. It is shown to agents; only the API validates by it. */
const shownSchema = z.looseObject({ type: z.literal('object') });

/** What a client may know of a tool before it calls it, as MCP has it. Hints: nothing is decided by them. */
export const toolAnnotations = z.object({
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
  openWorldHint: z.boolean(),
});
export type ToolAnnotations = z.infer<typeof toolAnnotations>;

const closedWorld = { openWorldHint: false } as const;
/** Changes nothing. */
export const reads: ToolAnnotations = {
  ...{ readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ...closedWorld,
};
/** Adds something with each call, and takes nothing away. */
export const adds: ToolAnnotations = {
  ...{ readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ...closedWorld,
};
/** Replaces or removes what was there; the same call once more changes nothing else. */
export const replaces: ToolAnnotations = {
  ...{ readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  ...closedWorld,
};

/** Fields that a later release adds are dropped, so that an earlier sidecar still lists the tools. */
export const listedPlatformTool = z.object({
  name: platformToolName,
  title: z.string().max(200),
  description: z.string().max(4000),
  annotations: toolAnnotations,
  input_schema: shownSchema,
  output_schema: shownSchema,
});
export type ListedPlatformTool = z.infer<typeof listedPlatformTool>;

/** `GET .../platform-tools`. */
export const platformToolList = z.object({ tools: z.array(listedPlatformTool).max(100) });

/**
 * `POST .../platform-tools/calls`: the sidecar chooses the call's id, which stays
 * when the call is sent again.
 */
export const platformToolCall = z.strictObject({
  call_id: chosenId,
  name: platformToolName,
  arguments: z.record(z.string(), z.unknown()),
});
export type PlatformToolCall = z.infer<typeof platformToolCall>;

/** A tool that failed has answered; the codes are in docs/platform-tools.md. */
export const platformToolAnswer = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('ok'), result: z.record(z.string(), z.unknown()) }),
  z.strictObject({ status: z.literal('failed'), code: z.string().max(64), message: z.string() }),
]);
export type PlatformToolAnswer = z.infer<typeof platformToolAnswer>;
