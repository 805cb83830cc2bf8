/** Registers the platform at an authorization server (RFC 7591), and asks for its client or deletes it there (RFC 7592). */
import * as z from 'zod';
import { parseBoundedJson } from '../outbound/bounded-json.ts';
import { type OutboundAnswer, type OutboundRequest, request } from '../outbound/exchange.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { limitsOf, type OAuthContext } from './context.ts';
import { explained, isTrouble, readJson } from './documents.ts';
import { OAuthDiscoveryError } from './errors.ts';
import { quote } from './quote.ts';
import { type ClientManagement, parseRegistration, type RegisteredClient } from './registration-answer.ts';
import { buildRegistrationRequest, type RegistrationOptions } from './registration-request.ts';
import { parseServerUrl } from './server-url.ts';

/**
 * Registers a client and returns its credentials. Not idempotent: when the answer is lost, the server keeps a client that nobody
 * uses, and a retry makes another. It can do nothing: it has a redirect URI of its own. Throws OAuthDiscoveryError; for an answer that is
 * refused, and whose client can be deleted, RegistrationAnswerError.
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

/** What its server says of a client. `known`: with what it gave in the place of a credential; each null where it gave none. */
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
 * Asks whether the server still has a client. Throws OAuthDiscoveryError, which repeats nothing of the answer, when that cannot be told now:
 * any other answer than this client's is `unknown`, also that of a server that cannot be asked.
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
 * Deletes a client at its server. True when it is gone, also when it was before, so it may be repeated; false when the server deletes none. Throws
 * OAuthDiscoveryError, which repeats nothing of the answer: a server could put the token into it.
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
