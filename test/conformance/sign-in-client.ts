/**
 * The client that the official scenarios test: the platform's sign-in (lib/oauth) with a person who allows
 * everything, and plain requests to the server in between. `node --import tsx sign-in-client.ts URL`.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import {
  buildAuthorizationRequest,
  parseAuthorizationResponse,
  readAuthorizationResponse,
} from '../../lib/oauth/authorization.ts';
import { missingScopes, widenScopes } from '../../lib/oauth/challenge.ts';
import { type ClientOptions, chooseClient } from '../../lib/oauth/choose-client.ts';
import { discoverRemoteServer, type SignInServer } from '../../lib/oauth/discover.ts';
import { registerClient } from '../../lib/oauth/register-client.ts';
import { defaultOAuthLimits, type OAuthContext } from '../../lib/oauth/requests.ts';
import type { OAuthClient } from '../../lib/oauth/send-credential.ts';
import { redeemCode, type Tokens } from '../../lib/oauth/tokens.ts';
import { resolveByLookup } from '../../lib/outbound/resolve-names.ts';

/**
 * Every server of the scenarios is on this machine, at ports that are not known
 * before, and speaks plain HTTP.
 */
class LoopbackHosts extends Map<string, 'http'> {
  override get(host: string): 'http' | undefined {
    return /^(localhost|127\.0\.0\.1):\d+$/.test(host) ? 'http' : undefined;
  }
  override has(host: string): boolean {
    return this.get(host) !== undefined;
  }
}

const context: OAuthContext = {
  policy: { privateHosts: new LoopbackHosts(), setting: 'the scenarios' },
  signal: new AbortController().signal,
  resolveName: resolveByLookup,
  workspaceId: null,
  // All scenarios run at once: the runner's own limit ends those that hang.
  limits: { ...defaultOAuthLimits, requestTimeoutMs: 200_000, discoveryTimeoutMs: 200_000 },
};
const redirectUri = 'http://localhost:3000/callback';
/**
 * An address at which the platform would offer a document, and the one that the scenarios expect, which
 * no other host could fetch.
 */
const publicDocument = 'https://platform.example.com/client-metadata.json';
const expectedDocument = 'https://conformance-test.local/client-metadata.json';
const maxSignIns = 3;

const given = z
  .object({ client_id: z.string().optional(), client_secret: z.string().optional() })
  .parse(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'));
const version = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '2025-11-25';

/** As a client that an admin entered, by the document, or registered. */
async function becomeClient({ authorizationServer: server }: SignInServer): Promise<OAuthClient> {
  const { client_id: clientId, client_secret: clientSecret = null } = given;
  const options: ClientOptions = {
    preRegistered: clientId === undefined ? null : { clientId, hasSecret: clientSecret !== null },
    metadataUrl: publicDocument,
  };
  const choice = chooseClient(server, options);
  const { tokenAuthMethod } = choice;
  if (choice.kind === 'metadata_document') {
    return { issuer: server.issuer, clientId: expectedDocument, tokenAuthMethod, clientSecret: null };
  }
  return choice.kind === 'registered'
    ? registerClient(context, server, { redirectUri, clientName: 'Platform', tokenAuthMethod }, new Date())
    : { issuer: server.issuer, clientId: choice.clientId, tokenAuthMethod, clientSecret };
}

interface Connection {
  found: SignInServer;
  client: OAuthClient;
  scopes: readonly string[];
  tokens: Tokens;
}

async function signIn(
  found: SignInServer,
  client: OAuthClient,
  scopes: readonly string[],
): Promise<Connection> {
  const { authorizationServer: server, resource } = found;
  const { clientId } = client;
  const request = buildAuthorizationRequest(
    context.policy,
    { server, clientId, redirectUri, resource, scopes },
    randomBytes,
  );
  const { headers } = await fetch(request.url, { redirect: 'manual' });
  const response = parseAuthorizationResponse(new URL(headers.get('location') ?? '').search.slice(1));
  if (response.state !== request.state) {
    throw new Error('the answer is to another request');
  }
  const outcome = readAuthorizationResponse(server, response);
  if (outcome.kind !== 'code') {
    throw new Error(outcome.sentence);
  }
  const redemption = { code: outcome.code, codeVerifier: request.codeVerifier, redirectUri, resource };
  const tokens = await redeemCode(context, server, client, redemption, new Date());
  return { found, client, scopes, tokens };
}

/** With a client of before where the issuer is the same. */
async function connect(url: string, before: Connection | null): Promise<Connection> {
  const found = await discoverRemoteServer(context, url);
  if (found.kind === 'no_sign_in') {
    throw new Error('the server asks for no sign-in');
  }
  const isSame = before?.found.authorizationServer.issuer === found.authorizationServer.issuer;
  const client = before !== null && isSame ? before.client : await becomeClient(found);
  return signIn(found, client, found.scopes);
}

async function widen(before: Connection, header: string | undefined): Promise<Connection> {
  const held = { requested: before.scopes, granted: before.tokens.scopes };
  const scopes = widenScopes(
    missingScopes({ status: 403, headers: { 'www-authenticate': header } }) ?? [],
    held,
  );
  if (scopes === null) {
    throw new Error('no sign-in would give what is missing');
  }
  return signIn(before.found, before.client, scopes);
}

const isStateless = version >= '2026-07-28';
const clientInfo = { name: 'gatepost', version: '1' };
let nextId = 1;

function post(url: string, connection: Connection | null, method: string, params: object): Promise<Response> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(isStateless ? { 'mcp-method': method, ...name } : {}),
    ...(method === 'initialize' ? {} : { 'mcp-protocol-version': version }),
    ...(connection === null ? {} : { authorization: `Bearer ${connection.tokens.accessToken}` }),
  };
  const message = { jsonrpc: '2.0', method, params: isStateless ? { ...params, _meta: meta } : params };
  nextId += 1;
  const body = method.startsWith('notifications/') ? message : { ...message, id: nextId };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function run(url: string): Promise<void> {
  let connection: Connection | null = null;
  let signIns = 0;
  const call = async (method: string, params: object = {}): Promise<void> => {
    for (;;) {
      const answer = await post(url, connection, method, params);
      const text = await answer.text();
      const mayHelp = answer.status === 401 || (answer.status === 403 && connection !== null);
      if (!mayHelp) {
        if (!answer.ok) {
          throw new Error(`${method} was answered ${answer.status}: ${text}`);
        }
        return;
      }
      signIns += 1;
      if (signIns > maxSignIns) {
        throw new Error('too many sign-ins');
      }
      connection =
        answer.status === 403 && connection !== null
          ? await widen(connection, answer.headers.get('www-authenticate') ?? undefined)
          : await connect(url, connection);
    }
  };
  if (!isStateless) {
    await call('initialize', { protocolVersion: version, capabilities: {}, clientInfo });
    await call('notifications/initialized');
  }
  await call('tools/list');
  await call('tools/call', { name: 'test-tool', arguments: {} });
}

await run(process.argv[2] ?? '');
