/**
 * Remote MCP servers: the shape `remote` and what its entry must be beyond its schema, what the program takes
 * that reaches one, and how that program gets access tokens (docs/mcp-servers.md#remote-servers).
 */
import * as z from 'zod';
import type { McpServerInput } from './catalog.ts';
import type { FieldProblem } from './errors.ts';
import { entryName, envName, secretReference, timestamp } from './names.ts';

/** Of HTTP, and of MCP over it: the bridge sets these itself, or must not set them. */
const protocolHeader =
  /^(host|accept|accept-encoding|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|origin|range|last-event-id|content-.*|proxy-.*|sec-.*|mcp-.*|if-.*)$/i;

/** A header with a static credential: its value is the prefix and the variable's value. */
export const remoteHeader = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of an HTTP header')
    .refine((name) => !protocolHeader.test(name), 'is a header of the protocol, which the platform sets'),
  /** Such as `Bearer `. Anybody in the workspace reads it. */
  prefix: z
    .string()
    .max(200)
    .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
    .default(''),
  /** Of the manifest's `env`. */
  variable: envName,
});
export type RemoteHeader = z.infer<typeof remoteHeader>;

const printable = /^[\x20-\x7e]+$/;

/** What an admin registered by hand at the server's authorization server. */
export const remoteClient = z.strictObject({
  client_id: z.string().max(2048).regex(printable, 'must be printable ASCII'),
  client_secret: secretReference.optional(),
});

export const remoteShape = z.strictObject({
  type: z.literal('remote'),
  url: z.url({ protocol: /^https?$/ }).max(2048),
  /** With any, nobody signs in to the server. */
  headers: z
    .array(remoteHeader)
    .max(10)
    .refine(
      (headers) => new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length,
      'must not name a header twice',
    )
    .optional(),
  client: remoteClient.optional(),
});
export type RemoteShape = z.infer<typeof remoteShape>;

/**
 * How the platform signs in to a remote server: not at all, with a static credential in
 * headers, or as each operator.
 */
export const signIn = z.enum(['none', 'headers', 'oauth']);
export type SignIn = z.infer<typeof signIn>;

/**
 * What the bridge runs with: one argument, as JSON. It holds no credential; the variables of
 * headers are in its environment.
 */
export const bridgeConfig = z.strictObject({
  url: z.url(),
  headers: z.array(remoteHeader),
  /**
   * Of hosts that the operator listed, by `host` of a URL: they may have a private
   * address, or speak plain HTTP.
   */
  private_hosts: z.record(z.string(), z.enum(['https', 'http'])),
  /** The socket to ask for access tokens on; null for a server that nobody signs in to. */
  token_socket: z.string().nullable(),
  /**
   * Where a runtime forwards to the host of `url`, one of the private ones: connected to in its place,
   * and for that host alone.
   */
  host_socket: z.string().optional(),
});
export type BridgeConfig = z.infer<typeof bridgeConfig>;

/** A scope as an authorization server knows it (RFC 6749 3.3). */
const oauthScope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/);

/**
 * `POST /access-token` on the socket for it in the server's own directory (`token-socket-name.ts`).
 * Without `rejected`, any token that is good; with it, one that is newer than the token of that id, which
 * the server answered 401.
 */
export const accessTokenRequest = z.strictObject({
  rejected: z.string().max(100).optional(),
  /**
   * The rejected one was given in the place of another that the server had answered 401:
   * a refresh does not help.
   */
  renewed: z.literal(true).optional(),
  /** With `renewed`: why, in the server's words, which nobody vouches for. */
  said: z.string().max(500).optional(),
  /** Scopes that the server asked for with `insufficient_scope`. */
  missing_scopes: z.array(oauthScope).max(100).optional(),
});
export type AccessTokenRequest = z.infer<typeof accessTokenRequest>;

/** The same question from the sidecar to the platform: `POST .../access-tokens`. */
export const accessTokenReport = accessTokenRequest.extend({ server: entryName });

export const accessTokenAnswer = z.discriminatedUnion('result', [
  z.strictObject({
    result: z.literal('token'),
    access_token: z.string().max(64 * 1024),
    /** Names the token without revealing it. */
    token_id: z.string().max(100),
    /** Null when the server did not say. */
    expires_at: timestamp.nullable(),
  }),
  /** The operator has to sign in; the sentence is for the agent. */
  z.strictObject({ result: z.literal('authorization_required'), message: z.string().max(1000) }),
]);
export type AccessTokenAnswer = z.infer<typeof accessTokenAnswer>;

/**
 * How long before its end a token is no longer given out or used, since the request that it goes with takes
 * time: a tenth of its lifetime, as a server may give tokens for seconds only, and a minute at most.
 */
export const tokenMarginMs = (lifetimeMs: number): number => Math.min(60_000, lifetimeMs * 0.1);

/** Said of a remote server that another kind of agent attaches. */
export const forWorkersOnly = 'is a remote server, which only agents of the kind "worker" attach';
/** Said of a remote server of an agent that another session starts. */
export const notForChildren =
  'is a remote server, which acts as the person who drives a session: nobody drives one that another session started';
/** Said of a remote server of an agent that is to have a schedule. */
export const notForSchedules =
  'is a remote server that the person who drives a session signs in to: nobody drives one that a schedule starts';

/** Problems by their field's path; empty for an entry of another shape, and for one that is as it must be. */
export function remoteServerProblems({
  shape,
  network,
  egress_allow,
  manifest,
}: McpServerInput): FieldProblem[] {
  if (shape.type !== 'remote') {
    return [];
  }
  const headers = shape.headers ?? [];
  const undeclared = headers.flatMap(({ variable }, index) =>
    Object.hasOwn(manifest?.env ?? {}, variable)
      ? []
      : [
          {
            path: `shape.headers.${index}.variable`,
            code: 'unknown_field',
            message: `${variable} is not declared by the manifest`,
          },
        ],
  );
  const both = 'an entry sends a static credential in headers or signs people in, not both';
  return [
    ...undeclared,
    ...problem('shape.client', headers.length > 0 && shape.client !== undefined, both),
    ...problem('network', network !== 'internet', 'must be "internet": the server is reached over it'),
    ...problem(
      'egress_allow',
      egress_allow.length > 0,
      'must be empty: a remote server is reached at its own address only',
    ),
  ];
}

const problem = (path: string, isWrong: boolean, message: string): FieldProblem[] =>
  isWrong ? [{ path, code: 'not_for_remote', message }] : [];
