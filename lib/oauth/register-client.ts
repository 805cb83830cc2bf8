/**
 * Registers the platform at an authorization server (RFC 7591), accepts the answer only as far as it is what
 * was asked for, and asks for its client or deletes it there (RFC 7592).
 */
import * as z from 'zod';
import { parseBoundedJson } from '../outbound/bounded-json.ts';
import { parseUrl } from '../outbound/parse-url.ts';
import { type OutboundAnswer, type OutboundRequest, request } from '../outbound/send.ts';
import {
  buildRegistrationRequest,
  type RegistrationOptions,
  type RegistrationRequest,
} from './choose-client.ts';
import { OAuthDiscoveryError, quote } from './errors.ts';
import type { AuthorizationServer, TokenAuthMethod } from './metadata.ts';
import {
  explained,
  isTrouble,
  limitsOf,
  type OAuthContext,
  parseServerUrl,
  readFields,
  readJson,
} from './requests.ts';

/**
 * Registers a client and returns its credentials. Not idempotent: when the answer is lost, the server keeps a
 * client that nobody uses, and a retry makes another. It can do nothing: it has a redirect URI of its own.
 * Throws OAuthDiscoveryError; for an answer that is refused, and whose client can be deleted,
 * RegistrationAnswerError.
 */
export async function registerClient(
  context: OAuthContext,
  server: AuthorizationServer,
  options: RegistrationOptions,
  now: Date,
): Promise<RegisteredClient> {
  if (server.registrationEndpoint === null) {
    throw new OAuthDiscoveryError(
      'client_missing',
      `The authorization server ${quote(server.issuer)} registers no clients.`,
    );
  }
  const what = `The field "registration_endpoint" of ${quote(server.issuer)} with`;
  const url = parseServerUrl(context.policy, server.registrationEndpoint, what, 'endpoint_refused');
  const body = buildRegistrationRequest(server, options);
  const headers = { accept: 'application/json' };
  const answer = await ask(context, { method: 'POST', url, headers, body: { json: body } }, [
    'application/json',
  ]);
  if (answer.status !== 201 && answer.status !== 200) {
    throw registrationRefusal(server, answer);
  }
  const value = readJson(
    answer.body,
    limitsOf(context).documentValues,
    `The registration at ${quote(server.issuer)}`,
    'registration_invalid',
  );
  return parseRegistration(server, body, value, now);
}

/** What its server says of a client. `known`: with what it gave in the place of a credential, or null. */
export type ClientState =
  | { kind: 'known'; clientSecret: string | null; accessToken: string | null }
  | { kind: 'unknown' };

const rotated = (pattern: RegExp) => z.string().regex(pattern).nullish().catch(null);
const clientAnswer = z.object({
  client_id: z.string(),
  client_secret: rotated(/^[\x20-\x7e]{1,4096}$/),
  registration_access_token: rotated(/^[\x21-\x7e]{1,4096}$/),
});

/**
 * Asks whether the server still has a client. Throws OAuthDiscoveryError, which repeats nothing of the
 * answer, when that cannot be told now: any other answer than this client's is `unknown`, also that of a
 * server that cannot be asked.
 */
export async function readClient(
  context: OAuthContext,
  clientId: string,
  management: ClientManagement,
): Promise<ClientState> {
  const url = parseServerUrl(context.policy, management.url, "The client's address", 'endpoint_refused');
  const headers = { authorization: `Bearer ${management.accessToken}`, accept: 'application/json' };
  const { status, body } = await ask(context, { method: 'GET', url, headers }, ['application/json']);
  if (isTrouble(status)) {
    const message = `${url.host} answered ${status} when it was asked for the platform's client.`;
    throw new OAuthDiscoveryError('unreachable', message, true);
  }
  const parsed = status === 200 ? parseBoundedJson(body, limitsOf(context).documentValues) : {};
  const answer = 'value' in parsed ? clientAnswer.safeParse(parsed.value).data : undefined;
  return answer?.client_id === clientId
    ? {
        kind: 'known',
        clientSecret: answer.client_secret ?? null,
        accessToken: answer.registration_access_token ?? null,
      }
    : { kind: 'unknown' };
}

/**
 * Deletes a client at its server. True when it is gone, also when it was before, so it may be repeated; false
 * when the server deletes none. Throws OAuthDiscoveryError, which repeats nothing of the answer: a server
 * could put the token into it.
 */
export async function deleteClient(context: OAuthContext, management: ClientManagement): Promise<boolean> {
  const url = parseServerUrl(context.policy, management.url, "The client's address", 'endpoint_refused');
  const headers = { authorization: `Bearer ${management.accessToken}` };
  const { status } = await ask(context, { method: 'DELETE', url, headers }, []);
  // The token of a client that is gone is refused (RFC 7592 2.3).
  if ((status >= 200 && status < 300) || [401, 404, 410].includes(status)) {
    return true;
  }
  if ([405, 501].includes(status)) {
    return false;
  }
  const code = isTrouble(status) ? 'unreachable' : 'deletion_refused';
  const message = `${url.host} answered ${status} and keeps the client; its operator can delete it.`;
  throw new OAuthDiscoveryError(code, message, isTrouble(status));
}

async function ask(
  context: OAuthContext,
  sent: Omit<OutboundRequest, 'timeoutMs'>,
  contentTypes: readonly string[],
): Promise<OutboundAnswer> {
  const { requestTimeoutMs: timeoutMs, documentBytes: maxBytes } = limitsOf(context);
  try {
    return await request(context, { ...sent, contentTypes, maxBytes, timeoutMs });
  } catch (error) {
    throw explained(error);
  }
}

const errorAnswer = z.object({
  error: z.string(),
  error_description: z.string().optional().catch(undefined),
});

/** The server's refusal as a sentence. Pure. */
export function registrationRefusal(
  { issuer }: Pick<AuthorizationServer, 'issuer'>,
  { status, body }: Pick<OutboundAnswer, 'status' | 'body'>,
): OAuthDiscoveryError {
  const who = `The authorization server ${quote(issuer)}`;
  if (isTrouble(status)) {
    return new OAuthDiscoveryError(
      'unreachable',
      `${who} answered ${status} when the platform registered itself.`,
      true,
    );
  }
  const parsed = parseBoundedJson(body, 100);
  const said = 'value' in parsed ? errorAnswer.safeParse(parsed.value).data : undefined;
  const description =
    said?.error_description === undefined ? '' : `, saying ${quote(said.error_description)}`;
  const why = said === undefined ? `it answered ${status}` : `${quote(said.error)}${description}`;
  return new OAuthDiscoveryError(
    'registration_refused',
    `${who} refuses to register the platform: ${why}; register it there by hand and enter the client's id in the entry.`,
  );
}

/** Holds secrets: it is sealed before it is stored, and never logged. */
export interface RegisteredClient {
  /** Whose client it is; it is never used at another's. */
  issuer: string;
  clientId: string;
  redirectUri: string;
  tokenAuthMethod: TokenAuthMethod;
  /** Null exactly when the method is `none`. */
  clientSecret: string | null;
  /** In seconds since 1970; null when the secret does not expire. */
  secretExpiresAtSeconds: number | null;
  /** Whether it was given the refresh_token grant. */
  refreshesTokens: boolean;
  /** For RFC 7592; null when the server named nothing that could be used. */
  management: ClientManagement | null;
}

export interface ClientManagement {
  url: string;
  accessToken: string;
}

const code = 'registration_invalid';
const visible = z.string('must be a text').max(4096, 'is longer than 4096 characters');
const credential = visible.regex(/^[\x20-\x7e]+$/, 'has characters that no credential has');
const listed = z.array(visible, 'must be a list of texts').max(100, 'has more than 100 items');
const schema = z.object({
  client_id: credential,
  // Empty where a server's language writes what is not there so, as the method below.
  client_secret: z.union([z.literal('').transform(() => null), credential]).nullish(),
  client_secret_expires_at: z.preprocess(
    // Some servers send a text, as they do for `expires_in` of tokens.
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.number('must be a number of seconds').nonnegative('must not be negative').nullish(),
  ),
  redirect_uris: listed,
  // Their defaults of RFC 7591 2.
  grant_types: listed.nullish().transform((types) => types ?? ['authorization_code']),
  response_types: listed.nullish().transform((types) => types ?? ['code']),
  token_endpoint_auth_method: visible.nullish(),
  // Of no use with characters that no header has, and then dropped.
  registration_access_token: z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/)
    .nullish()
    .catch(null),
  registration_client_uri: z.string().max(2048).nullish().catch(null),
});
type Answer = z.infer<typeof schema>;
/** Fields whose values no message repeats. */
const secretFields = new Set(['client_secret', 'registration_access_token']);

type Refuse = (field: keyof Answer, why: string) => OAuthDiscoveryError;

/** A client that the server made, and whose registration is refused: it is to be deleted there. */
export interface UnwantedClient {
  clientId: string;
  management: ClientManagement;
}

/** The answer to a registration is refused. `unwanted`: what it left at the server and can be deleted. */
export class RegistrationAnswerError extends OAuthDiscoveryError {
  override name = 'RegistrationAnswerError';
  readonly unwanted: UnwantedClient;

  constructor(message: string, unwanted: UnwantedClient) {
    super(code, message);
    this.unwanted = unwanted;
  }
}

/**
 * Reads the answer to `request`. `now` is compared with the secret's expiry. Throws OAuthDiscoveryError,
 * without any secret in its message: a RegistrationAnswerError where the client that it left can be deleted.
 */
export function parseRegistration(
  server: AuthorizationServer,
  request: RegistrationRequest,
  value: unknown,
  now: Date,
): RegisteredClient {
  try {
    return readRegistration(server, request, value, now);
  } catch (error) {
    const unwanted = error instanceof OAuthDiscoveryError ? readUnwanted(server, value) : null;
    throw unwanted === null ? error : new RegistrationAnswerError((error as Error).message, unwanted);
  }
}

const unwantedSchema = schema.pick({
  client_id: true,
  registration_access_token: true,
  registration_client_uri: true,
});

function readUnwanted(server: AuthorizationServer, value: unknown): UnwantedClient | null {
  const { data } = unwantedSchema.safeParse(value);
  const management = data === undefined ? null : readManagement(server, data);
  return data === undefined || management === null ? null : { clientId: data.client_id, management };
}

function readRegistration(
  server: AuthorizationServer,
  request: RegistrationRequest,
  value: unknown,
  now: Date,
): RegisteredClient {
  const what = `the registration at ${quote(server.issuer)}`;
  const answer = readFields(schema, value, what, code, secretFields);
  const refuse: Refuse = (field, why) =>
    new OAuthDiscoveryError(
      code,
      `In ${what} the field "${field}" ${why}; the client is not used, so ask the server's operator.`,
    );
  requireRedirectUri(request, answer, refuse);
  requireTypes(answer, refuse);
  const tokenAuthMethod = readMethod(server, request, answer, refuse);
  const clientSecret = readSecret(tokenAuthMethod, answer, refuse);
  return {
    issuer: server.issuer,
    clientId: answer.client_id,
    redirectUri: request.redirect_uris[0],
    tokenAuthMethod,
    clientSecret,
    secretExpiresAtSeconds: clientSecret === null ? null : readExpiry(answer, now, refuse),
    refreshesTokens: answer.grant_types.includes('refresh_token'),
    management: readManagement(server, answer),
  };
}

/** Codes go to the one that was asked for, letter by letter, and to no other beside it. */
function requireRedirectUri(
  { redirect_uris: [asked] }: RegistrationRequest,
  answer: Answer,
  refuse: Refuse,
): void {
  const other = answer.redirect_uris.find((uri) => uri !== asked);
  if (other !== undefined) {
    throw refuse('redirect_uris', `holds ${quote(other)} instead of what was asked for`);
  }
  if (answer.redirect_uris.length !== 1) {
    throw refuse('redirect_uris', 'does not hold exactly what was asked for');
  }
}

/**
 * More than was asked for is accepted, since servers add what they give to every client, and nothing but the
 * code is used (Keycloak adds the response type "none"). So are fewer grants: without refresh_token people
 * only sign in more often.
 */
function requireTypes(answer: Answer, refuse: Refuse): void {
  if (!answer.grant_types.includes('authorization_code')) {
    throw refuse('grant_types', 'lacks "authorization_code", by which people sign in');
  }
  if (!answer.response_types.includes('code')) {
    throw refuse('response_types', 'lacks "code", the only response type that the platform uses');
  }
}

/**
 * Another method than asked for is accepted from among those that both sides speak, but none
 * that gives up the secret.
 */
function readMethod(
  server: AuthorizationServer,
  { token_endpoint_auth_method: asked }: RegistrationRequest,
  { token_endpoint_auth_method: answered }: Answer,
  refuse: Refuse,
): TokenAuthMethod {
  const given = answered || asked;
  const offered: readonly TokenAuthMethod[] =
    asked === 'none'
      ? server.tokenAuthMethods
      : server.tokenAuthMethods.filter((method) => method !== 'none');
  const method = [asked, ...offered].find((each) => each === given);
  if (method === undefined) {
    throw refuse('token_endpoint_auth_method', `holds ${quote(given)}, which was not offered`);
  }
  return method;
}

/**
 * A secret that the client does not have to show is dropped and not refused: some
 * servers give one to everybody.
 */
function readSecret(
  method: TokenAuthMethod,
  { client_secret: given }: Answer,
  refuse: Refuse,
): string | null {
  if (method === 'none') {
    return null;
  }
  if ((given ?? null) === null) {
    throw refuse('client_secret', `is missing although the client has to show it (${method})`);
  }
  return given ?? null;
}

/** Zero means never (RFC 7591 3.2.1). */
function readExpiry(
  { client_secret_expires_at: atSeconds }: Answer,
  now: Date,
  refuse: Refuse,
): number | null {
  const expiry = Math.floor(atSeconds ?? 0);
  if (expiry === 0) {
    return null;
  }
  if (expiry * 1000 <= now.getTime()) {
    throw refuse('client_secret_expires_at', `says that the secret has expired already (${expiry})`);
  }
  return expiry;
}

/**
 * Where the client can be deleted. An address on another origin than the registration's is dropped and not
 * refused: the token goes to nobody then, and the client is as good without it.
 */
function readManagement(
  { registrationEndpoint }: AuthorizationServer,
  answer: Pick<Answer, 'registration_client_uri' | 'registration_access_token'>,
): ClientManagement | null {
  const accessToken = answer.registration_access_token;
  const text = answer.registration_client_uri ?? '';
  const parsed = /^https?:\/\/[\x21\x22\x24-\x5b\x5d-\x7e]+$/i.test(text) ? parseUrl(text) : null;
  if (parsed === null || registrationEndpoint === null || typeof accessToken !== 'string') {
    return null;
  }
  const { origin, username, password } = parsed;
  const isOwn = origin === new URL(registrationEndpoint).origin && username === '' && password === '';
  return isOwn ? { url: text, accessToken } : null;
}
