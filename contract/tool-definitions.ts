/**
 * What the tools of an MCP server say of themselves, as its sidecar sees it pass: one definition for each
 * tool and one for the server's instructions (docs/catalog.md#a-server-stays-what-was-approved). All of it
 * is the server's own claim.
 */
import * as z from 'zod';
import { entryName, maxToolNameCharacters, timestamp, uuid } from './names.ts';

/** What a definition is about. */
export const definitionPart = z.enum(['tool', 'instructions']);
export type DefinitionPart = z.infer<typeof definitionPart>;

/** SHA-256 of a definition, in hexadecimal digits. */
export const definitionDigest = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits');

export const toolListLimits = {
  /** Tools of one report. */
  tools: 1000,
  nameCharacters: maxToolNameCharacters,
  /** Of one definition's text; the digest is of all of it. */
  textCharacters: 16 * 1024,
  /** Of all texts of a report together, as its JSON has them. */
  reportTextBytes: 384 * 1024,
  /** Of all tools of a report; with the instructions it is less than the API takes. */
  reportBytes: 960 * 1024,
  /** Definitions of one version of an entry that wait for an admin. */
  waiting: 1000,
  /** Latest versions of an entry whose definitions are kept. */
  versions: 10,
  /** Definitions of one request to accept. */
  accepted: 500,
} as const;

/** The JSON of a definition with sorted keys, truncated when `is_cut`. */
const definitionText = { text: z.string().max(toolListLimits.textCharacters), is_cut: z.boolean() };
const definition = { digest: definitionDigest, ...definitionText };
const callableName = z.string().min(1).max(toolListLimits.nameCharacters);

/** `POST .../tool-lists`: what one `tools/list` of the agent answered, on however many pages. */
export const toolListReport = z.strictObject({
  server: entryName,
  /** From the first page to the last; an agent need not ask for all. */
  is_complete: z.boolean(),
  tools: z.array(z.strictObject({ name: callableName, ...definition })).max(toolListLimits.tools),
  /** What the server gave its client at the start of the connection; null when it gave none. */
  instructions: z.strictObject(definition).nullable(),
});
export type ToolListReport = z.infer<typeof toolListReport>;

/** Max definitions of one tool, with those of the instructions, that one call is checked against. */
export const maxShown = 32;
/** All that the agent was shown of the tool and of the server's instructions in its session. */
export const shownDefinitions = z.strictObject({
  tool: z.array(definitionDigest).max(maxShown),
  instructions: z.array(definitionDigest).max(maxShown),
});
export type ShownDefinitions = z.infer<typeof shownDefinitions>;

/** How a version of an entry got the definitions that count as approved. */
export const pinSource = z.enum(['check', 'session', 'earlier_version']);

/** `new`: no definition of the tool is accepted. */
export const differenceKind = z.enum(['new', 'changed']);

export const toolDefinition = z.strictObject({
  id: uuid,
  part: definitionPart,
  /** Empty for instructions. */
  tool: z.string(),
  /**
   * Without the values of the server's secrets; its digest is not shown, since such
   * values could be guessed by it.
   */
  ...definitionText,
  seen_at: timestamp,
  /** The session whose agent it was shown to first; null for a check, or when the session is gone. */
  session_id: uuid.nullable(),
  /** Null while it waits for an admin. */
  accepted_at: timestamp.nullable(),
  /** Null where the first complete list was pinned by itself. */
  accepted_by: uuid.nullable(),
});
export type ToolDefinition = z.infer<typeof toolDefinition>;

/** One that waits for an admin, with the accepted definition that it differs from. */
export const toolDifference = toolDefinition.omit({ accepted_at: true, accepted_by: true }).extend({
  kind: differenceKind,
  accepted: z.strictObject(definitionText).nullable(),
});
export type ToolDifference = z.infer<typeof toolDifference>;

export const pinnedToolList = z.strictObject({
  version: z.int().positive(),
  source: pinSource,
  pinned_at: timestamp,
  /** Who started the check. */
  pinned_by: uuid.nullable(),
});
export type PinnedToolList = z.infer<typeof pinnedToolList>;

export const acceptDefinitions = z.strictObject({
  ids: z.array(uuid).min(1).max(toolListLimits.accepted),
});

/**
 * Entries of a workspace with definitions that wait, in their latest version that has any: sessions
 * go on with an earlier one.
 */
export const changedServer = z.strictObject({
  id: uuid,
  name: entryName,
  version: z.int().positive(),
  /** How many wait. */
  waiting: z.int().positive(),
  first_seen_at: timestamp,
});
