/** Workspace secrets: metadata only, the value is write-only (docs/secrets.md). */
import * as z from 'zod';
import { entryName, secretName, timestamp, uuid } from './names.ts';

/** All that is ever returned of a secret; there is no field for the value. */
export const secretMetadata = z.strictObject({
  name: secretName,
  is_set: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: uuid.nullable(),
});
export type SecretMetadata = z.infer<typeof secretMetadata>;

export const maxSecretValueBytes = 64 * 1024;

/** 1 byte to 64 KiB of UTF-8 without NUL. The messages never repeat the value. */
export const secretValue = z
  .string('must be a string')
  .refine((value) => value.length > 0, 'must not be empty')
  .refine((value) => Buffer.byteLength(value) <= maxSecretValueBytes, 'must be at most 65536 bytes')
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
  .refine((value) => value.isWellFormed(), 'must be valid Unicode');

/** Which catalog entries may use this secret; null means any. */
export const allowedServers = z.array(entryName).max(200).nullable();

/** One place that references a secret. */
export const secretUse = z.strictObject({
  /**
   * `registry_secret`: the credentials that a catalog entry's image is pulled with, whichever agents attach
   * it. `channel_address`: the URL of a channel's webhook. `embedding_provider`: the key of the workspace's
   * provider. `model_key`: the key of an agent's model access. `repository`: the credential of a repository.
   */
  kind: z.enum([
    'mcp_attachment',
    'agent_env',
    'model_key',
    'sibling_env',
    'service_env',
    'registry_secret',
    'channel_address',
    'embedding_provider',
    'repository',
  ]),
  /** Null for `registry_secret`, `channel_address`, `embedding_provider` and `repository`. */
  agent: z.strictObject({ id: uuid, name: z.string() }).nullable(),
  /**
   * Of the attachment, sibling, service, catalog entry, channel or repository; null for the agent's own
   * environment and its model access, and for `embedding_provider`.
   */
  name: z.string().nullable(),
  /**
   * Null for `model_key`, `registry_secret`, `channel_address`, `embedding_provider` and `repository`: no
   * program of the workspace is given it.
   */
  variable: z.string().nullable(),
});
export type SecretUse = z.infer<typeof secretUse>;

/**
 * How many different agents, catalog entries that pull their image with it, channels, embedding providers and
 * repositories refer to a secret.
 */
export const secretUsers = z.strictObject({
  agents: z.int(),
  mcp_servers: z.int(),
  channels: z.int(),
  embedding_providers: z.int(),
  repositories: z.int(),
});
export type SecretUsers = z.infer<typeof secretUsers>;

/** With `include_uses`; without it a listed secret is exactly its metadata. */
export const listedSecret = secretMetadata.extend({
  allowed_servers: allowedServers.optional(),
  used_by: secretUsers.optional(),
});
export type ListedSecret = z.infer<typeof listedSecret>;
