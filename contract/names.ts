/** Names and references that people type. */

import * as z from 'zod';
import { platformServerName } from './platform-server-name.ts';

/** A workspace secret's name: 1 to 64 characters. */
export const secretName = z
  .string()
  .regex(
    /^[A-Z_][A-Z0-9_]{0,63}$/,
    'must be 1 to 64 uppercase letters, digits or underscores, not starting with a digit',
  );

/**
 * A bare reference: the whole value is `${NAME}`, without prefix or suffix.
 * It may hold a name that is invalid for a secret; such a secret never exists.
 */
export const secretReference = z
  .string()
  .regex(/^\$\{[A-Z_][A-Z0-9_]*\}$/, 'must be a whole reference such as ${NAME}, without text around it');

/** The name inside a bare reference, or null when the text is not one. */
export function referencedSecretName(text: string): string | null {
  return secretReference.safeParse(text).success ? text.slice(2, -1) : null;
}

/** An environment variable's name. */
export const envName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be a valid environment variable name');

/**
 * Of a name of a tool, wherever one is: what is longer can be neither listed nor gated nor called. The
 * protocol advises 128 characters; servers that put others' names behind their own have longer ones.
 */
export const maxToolNameCharacters = 256;

/**
 * A catalog entry's name: key in `mcpServers`, tool prefix, socket name. `platform` is the built-in server.
 */
export const entryName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
    'must be 1 to 32 lowercase letters, digits or inner hyphens',
  )
  .refine((name) => name !== platformServerName, '"platform" is the name of the built-in server');

/** A `tool_scope` scope such as `files.write`. Its length is limited by the database index on it. */
export const toolScope = z
  .string()
  .max(2_000)
  .regex(/^[a-z]+(\.[a-z]+)+$/, 'must be dot-separated lowercase words such as files.write');

/** A workspace's slug, used in paths. */
export const workspaceSlug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    'must be 1 to 40 lowercase letters, digits or inner hyphens',
  );

/** Normalised to lower case, so that one thing has one id. */
export const uuid = z.uuid().toLowerCase();
/**
 * An id that a session's sidecar chooses: random (version 4). Ids that the platform derives are version 8
 * (`store/session-events/append.ts`), so a sidecar can never choose one of them.
 */
export const chosenId = z.uuidv4('must be a random UUID (version 4)').toLowerCase();
/** Something that is shown by its name: a person, an agent. */
export const named = z.strictObject({ id: uuid, name: z.string() });
export type Named = z.infer<typeof named>;
/** A point in time as ISO 8601 in UTC; the database has no year 0. */
export const timestamp = z.iso
  .datetime()
  .refine((text) => !text.startsWith('0000'), 'must have a year from 0001 on');
/** The largest number of an `integer` column. */
export const maxStoredInteger = 2_147_483_647;
/** Position of a reader of events: the `seq` of the last one that it has, 0 before the first. */
export const eventPosition = z.coerce.number().int().min(0).max(maxStoredInteger);

/**
 * Names exactly one call without revealing it: keyed per installation, so that short arguments
 * cannot be guessed from it.
 */
export const callDigest = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits');
