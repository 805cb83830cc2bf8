/** How a remote MCP server became usable, or why it did not (docs/mcp-servers.md#remote-servers). */
import * as z from 'zod';
import { timestamp, uuid } from './names.ts';
import { productName } from './product-name.ts';
import { signIn } from './remote-server.ts';

export const registrationStatus = z.enum(['pending', 'ready', 'failed']);
export type RegistrationStatus = z.infer<typeof registrationStatus>;

/** How the platform became a client of the authorization server. */
export const oauthClientKind = z.enum(['pre_registered', 'metadata_document', 'registered']);
export type OAuthClientKind = z.infer<typeof oauthClientKind>;
export const tokenAuthMethod = z.enum(['client_secret_basic', 'client_secret_post', 'none']);

/** Who issues the tokens of a server's users, and for what. Compared as plain text. */
export const signInParties = z.strictObject({ issuer: z.string(), resource: z.string() });
export type SignInParties = z.infer<typeof signInParties>;

/** What discovery found, as an admin and a person who signs in read it. */
export const shownParties = signInParties.extend({
  /** Of the page on which people sign in; it may be on another host than the issuer. */
  authorization_host: z.string(),
});
export type ShownParties = z.infer<typeof shownParties>;

/** Sign-ins that the server refuses: the last one of each member counts. */
export const refusedSignIns = z.strictObject({
  people: z.int(),
  /**
   * The one that was refused last, and why: a sentence with the server's words, and without any credential.
   */
  latest: z.strictObject({ user_id: uuid, refused_at: timestamp, reason: z.string() }),
});
export type RefusedSignIns = z.infer<typeof refusedSignIns>;

export const mcpRegistration = z.strictObject({
  status: registrationStatus,
  /**
   * Why it failed, as a sentence that says what to do; of a ready one, why the last try reached nobody and
   * changed nothing. Null otherwise.
   */
  reason: z.string().nullable(),
  /** Null until it is known. */
  sign_in: signIn.nullable(),
  /** Where people sign in, as it was accepted; null unless `sign_in` is `oauth`. */
  parties: shownParties.nullable(),
  /** What was found last and differs from that: nobody signs in until an admin accepts it. */
  found: shownParties.nullable(),
  /** Asked for when people sign in. */
  scopes: z.array(z.string()),
  client: z.strictObject({ kind: oauthClientKind, client_id: z.string() }).nullable(),
  /** For admins alone; null for others, and where nobody is refused. */
  refused_sign_ins: refusedSignIns.nullable(),
  /** To register the platform by hand at the authorization server. */
  redirect_uri: z.string(),
  updated_at: timestamp,
});
export type McpRegistration = z.infer<typeof mcpRegistration>;

/** Exactly what the admin read. */
export const acceptParties = signInParties;

/** As discovery found it. */
export const authorizationServer = z.strictObject({
  issuer: z.string(),
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  registrationEndpoint: z.string().nullable(),
  revocationEndpoint: z.string().nullable(),
  tokenAuthMethods: z.array(tokenAuthMethod),
  revocationAuthMethods: z.array(tokenAuthMethod),
  refreshesTokens: z.boolean(),
  scopes: z.array(z.string()).nullable(),
  takesClientMetadataUrls: z.boolean(),
  sendsIssuer: z.boolean(),
});

/** What discovery found, as it is stored: nothing in it is secret, and lib/oauth has checked all of it. */
export const signInServer = z.strictObject({
  kind: z.literal('sign_in'),
  resource: z.string(),
  authorizationServer,
  scopes: z.array(z.string()),
});
export type StoredSignInServer = z.infer<typeof signInServer>;

export const partiesOf = ({
  resource,
  authorizationServer: { issuer },
}: StoredSignInServer): SignInParties => ({
  issuer,
  resource,
});

export const sameParties = (left: SignInParties, right: SignInParties): boolean =>
  left.issuer === right.issuer && left.resource === right.resource;

/** What people read on the page where they consent. */
export const clientNameOf = (entryName: string): string => `${productName} (${entryName})`;
