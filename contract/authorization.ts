/** A person's way to sign in to a remote MCP server (docs/mcp-servers.md#signing-in). */
import * as z from 'zod';
import { shownParties } from './mcp-registration.ts';
import { entryName, named, timestamp, uuid } from './names.ts';

/** `expired`: nobody signed in in time. `cancelled`: nobody waits for it any more. */
export const authorizationStatus = z.enum(['pending', 'connected', 'expired', 'cancelled']);
export type AuthorizationStatus = z.infer<typeof authorizationStatus>;

/** As the one person reads it who may sign in. */
export const authorization = z.strictObject({
  id: uuid,
  status: authorizationStatus,
  workspace: named.extend({ slug: z.string() }),
  /** The catalog entry. */
  mcp_server: entryName,
  /** The session that waits for it; null when the person connects without one. */
  session: z.strictObject({ id: uuid, agent: named }).nullable(),
  /** Where the person signs in, and for what; null while the entry cannot be used. */
  parties: shownParties.nullable(),
  /** All that the server is asked for. */
  scopes: z.array(z.string()),
  /**
   * Those of them that the server asked for in the middle of a call; null for a sign-in without such a call.
   */
  missing_scopes: z.array(z.string()).nullable(),
  /** Why the last try failed, as a sentence that says what to do. */
  problem: z.string().nullable(),
  /** The address of the platform at which it has to be begun: the authorization server knows no other. */
  origin: z.url(),
  expires_at: timestamp,
});
export type Authorization = z.infer<typeof authorization>;

/** As readers of the session see that it waits. */
export const sessionAuthorization = authorization.pick({
  id: true,
  mcp_server: true,
  missing_scopes: true,
  expires_at: true,
});
export type SessionAuthorization = z.infer<typeof sessionAuthorization>;

/** The page on which it is begun, as a path of the platform. */
export const authorizationPage = (id: string) => `/app/_/authorizations/${id}`;
/** Where an answer ends that belongs to no sign-in of this browser. */
export const unknownAuthorizationPage = '/app/_/authorizations/unknown';

/** A person's own connection to a remote server. */
export const connection = z.strictObject({
  id: uuid,
  workspace: named.extend({ slug: z.string() }),
  /** The entry's name. */
  mcp_server: z.string(),
  issuer: z.string(),
  resource: z.string(),
  scopes: z.array(z.string()),
  created_at: timestamp,
  used_at: timestamp.nullable(),
});
export type Connection = z.infer<typeof connection>;
