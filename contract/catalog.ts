/** Workspace MCP catalog entries: shape, manifest and stored fields (docs/catalog.md#catalog-entries). */
import * as z from 'zod';
import {
  entryName,
  envName,
  maxToolNameCharacters,
  secretReference,
  timestamp,
  toolScope,
  uuid,
} from './names.ts';
import { remoteShape } from './remote-server.ts';

const argument = z
  .string()
  .max(4096)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character');
export const commandLine = { command: argument.min(1), args: z.array(argument).max(100).default([]) };
export const imageReference = z
  .string()
  .min(1)
  .max(512)
  .regex(
    /^[a-z0-9][A-Za-z0-9._:/@-]*$/,
    'must be an OCI image reference such as registry.example/team/server:1.2',
  );

export const imageDigest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 lowercase hexadecimal digits');

export const shape = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('image'),
    image: imageReference,
    /** Refers to a workspace secret of the form `user:password`, for the image's registry alone. */
    registry_secret: secretReference.optional(),
  }),
  z.strictObject({ type: z.literal('command'), ...commandLine }),
  remoteShape,
]);
export type Shape = z.infer<typeof shape>;

/** One environment variable that an MCP server takes. `regex` must match the whole value, in linear time. */
export const manifestEnvField = z
  .strictObject({
    kind: z.enum(['secret', 'value']),
    label: z.string().max(200),
    description: z.string().max(2000).optional(),
    required: z.boolean().optional(),
    regex: z.string().max(500).optional(),
    enum: z.array(z.string().max(1000)).min(1).max(100).optional(),
    default: z.string().max(4096).optional(),
  })
  .refine((field) => field.kind === 'value' || (field.regex ?? field.enum ?? field.default) === undefined, {
    message: 'regex, enum and default are for value fields only',
    path: ['kind'],
  });
export type ManifestEnvField = z.infer<typeof manifestEnvField>;

export const manifest = z.strictObject({
  env: z.record(envName, manifestEnvField).default({}),
  /** Tool name to the scope that it needs. A tool that is not named is ungated. */
  tool_scopes: z.record(z.string().min(1).max(maxToolNameCharacters), toolScope).default({}),
});
export type Manifest = z.infer<typeof manifest>;
export const emptyManifest: Manifest = { env: {}, tool_scopes: {} };

export const manifestSource = z.enum(['image', 'pasted', 'none']);
export const network = z.enum(['none', 'internet']);
/** A private destination that an admin opens: `host:port` or `cidr:port`. */
export const egressRule = z.string().regex(/^[A-Za-z0-9.:/[\]-]+:\d{1,5}$/, 'must be host:port or cidr:port');
/** What an MCP server may request of the agent, by the protocol's names of client capabilities. */
export const clientFeature = z.enum(['elicitation', 'roots', 'sampling']);
export type ClientFeature = z.infer<typeof clientFeature>;
/** Who may grant the scopes that the entry's manifest names. */
export const approvers = z.enum(['operator', 'admin']);
/** Whether a grant of these scopes has to be approved with a passkey. */
const requirePasskey = z.boolean();

/**
 * What a tool means that is new, or no longer what was accepted: the people concerned are told, or
 * its calls are refused, too.
 */
export const changedTools = z.enum(['tell', 'refuse']);
/** Whether a tool can be called that neither a scope nor `listed_tools` names. */
export const unlistedTools = z.enum(['allow', 'refuse']);
/**
 * A tool that can be named as one that agents may call. Forms hold one a line: a name that a line would
 * change would become that of another tool.
 */
const listedTool = z
  .string()
  .min(1)
  .max(maxToolNameCharacters)
  .refine(
    (name) => name === name.trim() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name),
    'must be on one line, without spaces around it and without control characters',
  );
/** Whether agents can be offered a tool of this name where unlisted ones are refused. */
export const isListableTool = (name: string): boolean => listedTool.safeParse(name).success;
const listedTools = z
  .array(listedTool)
  .max(500)
  .refine((tools) => new Set(tools).size === tools.length, 'must not name a tool twice');
/** What an entry says of its tools as a whole. */
export const toolPolicy = {
  changed_tools: changedTools,
  unlisted_tools: unlistedTools,
  /** Ungated tools that agents can call where unlisted ones are refused. */
  listed_tools: listedTools,
};

/**
 * From the first request to the server until its first answer, which includes its start;
 * null: the operator's limit.
 */
const startSeconds = z.int().min(1).max(3600).nullable();

/**
 * What an entry says of how sessions run it, as it is stored, and frozen into a session: a field that is
 * added here is read, saved and frozen with the others. `mcpServerInput` says what it is when left out; what
 * a session is booted with, and the forms, name each field themselves.
 */
export const entrySettings = {
  network,
  egress_allow: z.array(egressRule),
  approvers,
  client_features: z.array(clientFeature),
  changed_tools: changedTools,
  unlisted_tools: unlistedTools,
  listed_tools: z.array(z.string()),
  start_seconds: startSeconds,
};
const settingsOnly = z.object(entrySettings);
type EntrySettings = z.infer<typeof settingsOnly>;

/** Those of an entry, stored or as an admin sends it, without its other fields. */
export const entrySettingsOf = (entry: EntrySettings): EntrySettings => settingsOnly.parse(entry);

/** What an admin sends to register or replace an entry. */
export const mcpServerInput = z.strictObject({
  name: entryName,
  shape,
  manifest: manifest.optional(),
  /** The digest that an image check showed: refused when the image has changed since. */
  image_digest: imageDigest.optional(),
  network: network.default('internet'),
  egress_allow: z.array(egressRule).max(50).default([]),
  approvers: approvers.default('operator'),
  /** Left out: as it is stored; false for a new entry. */
  require_passkey: requirePasskey.optional(),
  client_features: z
    .array(clientFeature)
    .refine((features) => new Set(features).size === features.length, 'must not name a feature twice')
    .default([]),
  changed_tools: changedTools.default('tell'),
  unlisted_tools: unlistedTools.default('allow'),
  listed_tools: listedTools.default([]),
  start_seconds: startSeconds.default(null),
});
export type McpServerInput = z.infer<typeof mcpServerInput>;

export const mcpServer = z.strictObject({
  id: uuid,
  name: entryName,
  shape,
  manifest,
  manifest_source: manifestSource,
  /** Incremented with each change; frozen into sessions. */
  version: z.int().positive(),
  /** What the reference resolved to when the entry was stored. */
  image_digest: z.string().nullable(),
  /** The image's entrypoint and command. */
  image_command: z.array(z.string()).nullable(),
  /** Paths that the image declares as volumes: each is empty scratch of the session's. */
  image_volumes: z.array(z.string()).nullable(),
  ...entrySettings,
  require_passkey: requirePasskey,
  created_at: timestamp,
  created_by: uuid.nullable(),
  updated_at: timestamp,
  updated_by: uuid.nullable(),
});
export type McpServer = z.infer<typeof mcpServer>;
