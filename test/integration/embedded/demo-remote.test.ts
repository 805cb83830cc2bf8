/**
 * The demo's remote server and its authorization server, with the platform's own sign-in
 * (lib/oauth) and the SDK's client.
 */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { importJWK, type JWK, SignJWT } from 'jose';
import * as z from 'zod';
import {
  buildAuthorizationRequest,
  parseAuthorizationResponse,
  readAuthorizationResponse,
} from '../../../lib/oauth/authorization.ts';
import { missingScopes, widenScopes } from '../../../lib/oauth/challenge.ts';
import { discoverRemoteServer, type SignInServer } from '../../../lib/oauth/discover.ts';
import { deleteClient, type RegisteredClient, registerClient } from '../../../lib/oauth/register-client.ts';
import { remoteServersWith } from '../../../lib/oauth/requests.ts';
import { OAuthTokenError } from '../../../lib/oauth/token-errors.ts';
import { redeemCode, refreshTokens, revokeToken } from '../../../lib/oauth/tokens.ts';
import {
  type DemoRemoteServer,
  demoRemoteProgram,
  startDemoRemote,
  visitConsent,
} from '../../support/demo-remote.ts';

const redirectUri = 'http://127.0.0.1:8080/api/oauth/callback/1';

let remote: DemoRemoteServer;
let found: SignInServer;
let client: RegisteredClient;
beforeAll(async () => {
  remote = await startDemoRemote();
  const discovered = await discoverRemoteServer(context(), remote.url);
  if (discovered.kind !== 'sign_in') {
    throw new Error('nobody has to sign in');
  }
  found = discovered;
  client = await register();
});
afterAll(() => remote.close());

const context = () => {
  const hosts = [remote.url, remote.issuer].map((url) => [new URL(url).host, 'http'] as const);
  return { ...remoteServersWith(new Map(hosts)), workspaceId: null, signal: new AbortController().signal };
};

const missingScopesOf = ({ status, headers }: Response) =>
  missingScopes({ status, headers: { 'www-authenticate': headers.get('www-authenticate') ?? undefined } });

const register = (clientName = 'Gatepost (tickets)') =>
  registerClient(
    context(),
    found.authorizationServer,
    { redirectUri, clientName, tokenAuthMethod: 'client_secret_basic' },
    new Date(),
  );

const authorizationRequest = (scopes: readonly string[] = found.scopes, as = client) =>
  buildAuthorizationRequest(
    context().policy,
    {
      server: found.authorizationServer,
      clientId: as.clientId,
      redirectUri,
      resource: found.resource,
      scopes,
    },
    randomBytes,
  );

const outcomeOf = (query: string) =>
  readAuthorizationResponse(found.authorizationServer, parseAuthorizationResponse(query));

async function signIn(person: string, scopes?: readonly string[]) {
  const { url, codeVerifier } = authorizationRequest(scopes);
  const outcome = outcomeOf(await (await visitConsent(url)).decide('allow', person));
  if (outcome.kind !== 'code') {
    throw new Error(outcome.sentence);
  }
  const { authorizationServer: server, resource } = found;
  const redemption = { code: outcome.code, codeVerifier, redirectUri, resource };
  return redeemCode(context(), server, client, redemption, new Date());
}

const refresh = (refreshToken: string | null, as = client) =>
  refreshTokens(
    context(),
    found.authorizationServer,
    as,
    { refreshToken: refreshToken ?? '', resource: found.resource, scopes: [] },
    new Date(),
  );

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof OAuthTokenError ? error.code : error),
  );

async function callTool(
  accessToken: string,
  name: string,
  args: Record<string, unknown> = {},
  versionNegotiation: { mode: 'legacy' | 'auto' } = { mode: 'auto' },
) {
  const mcp = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  const headers = { authorization: `Bearer ${accessToken}` };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(remote.url), { requestInit: { headers } }));
  try {
    return (await mcp.callTool({ name, arguments: args })).structuredContent;
  } finally {
    await mcp.close();
  }
}

/** A call as plain HTTP, to see status and challenge. */
const post = (authorization: string | null, name = 'whoami') =>
  fetch(remote.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(authorization === null ? {} : { authorization }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { title: 'x' } },
    }),
  });

describe('the remote server', () => {
  it('says in its challenge and metadata who signs people in, and what is asked for first', async () => {
    const { status, headers } = await post(null);
    const metadata = remote.url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toContain('scope="tickets:read"');
    expect(headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: remote.url,
      authorization_servers: [remote.issuer],
      scopes_supported: ['tickets:read', 'tickets:write'],
    });
    expect(found).toMatchObject({
      resource: remote.url,
      scopes: ['tickets:read', 'offline_access'],
      authorizationServer: { issuer: remote.issuer, refreshesTokens: true, sendsIssuer: true },
    });
  });

  it.each(['legacy', 'auto'] as const)(
    'acts as the person who signed in, in both lines of revisions (%s)',
    async (mode) => {
      for (const [person, name] of [
        ['ada', 'Ada Admin'],
        ['max', 'Max Member'],
      ] as const) {
        const { accessToken } = await signIn(person);
        expect(await callTool(accessToken, 'whoami', {}, { mode })).toEqual({
          id: person,
          name,
          scopes: ['tickets:read'],
        });
        expect(await callTool(accessToken, 'list_tickets', {}, { mode })).toMatchObject({
          owner: name,
          tickets: [{ id: `${person.toUpperCase()}-1` }],
        });
      }
    },
  );

  it('lists who called what, for everybody at this machine', async () => {
    const address = new URL('/', remote.url);
    for (const [person, name] of [
      ['max', 'Max Member'],
      ['ada', 'Ada Admin'],
    ] as const) {
      const { accessToken } = await signIn(person);
      await callTool(accessToken, 'whoami');
      const [, latest = ''] = (await (await fetch(address)).text()).split('<li>');
      expect(latest).toContain(`<code>whoami</code> as <b>${name}</b>`);
    }
  });

  it('asks for a further scope at the tool that needs it, and creates a ticket of this person alone', async () => {
    const { accessToken, scopes: granted } = await signIn('ada');
    const refused = await post(`Bearer ${accessToken}`, 'create_ticket');
    const missing = missingScopesOf(refused);
    expect(missing).toEqual(['tickets:write']);
    const scopes = widenScopes(missing ?? [], { requested: found.scopes, granted });
    const wider = await signIn('ada', scopes ?? []);
    const ticket = { title: 'Water the plants', priority: 'low' };
    expect(await callTool(wider.accessToken, 'create_ticket', ticket)).toMatchObject(ticket);
    const listed = z.object({ tickets: z.array(z.object({ title: z.string() })) });
    const titlesOf = async (token: string) =>
      listed.parse(await callTool(token, 'list_tickets')).tickets.map(({ title }) => title);
    expect(await titlesOf(wider.accessToken)).toEqual([expect.any(String), ticket.title]);
    expect(await titlesOf((await signIn('max')).accessToken)).not.toContain(ticket.title);
  });

  describe('refuses a token', () => {
    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
    const good = () => ({
      iss: remote.issuer,
      aud: remote.url,
      sub: 'ada',
      client_id: 'x',
      scope: 'tickets:read',
      exp: inSeconds(300),
    });
    const ownKey = () =>
      z
        .object({ jwks: z.object({ keys: z.tuple([z.looseObject({ kid: z.string() })]) }) })
        .parse(JSON.parse(readFileSync(join(remote.directory, 'keys.json'), 'utf8'))).jwks.keys[0];
    const sign = async (claims: object, { typ = 'at+jwt', jwk = ownKey() as JWK } = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', typ, kid: ownKey().kid })
        .sign(await importJWK(jwk, 'RS256'));
    const statusOf = async (token: string) => (await post(`Bearer ${token}`)).status;

    it('unless everything in it is right', async () => {
      expect(await statusOf(await sign(good()))).toBe(200);
    });

    it.each([
      ['for another server', () => ({ aud: `${remote.url}/other` })],
      ['for its origin', () => ({ aud: new URL(remote.url).origin })],
      ['of another issuer', () => ({ iss: 'http://127.0.0.1:1' })],
      ['that has expired', () => ({ exp: inSeconds(-1) })],
      ['that never expires', () => ({ exp: undefined })],
      ['of nobody', () => ({ sub: 'mallory' })],
      ['of a property of every object', () => ({ sub: 'constructor' })],
    ])('%s', async (_what, changed) => {
      expect(await statusOf(await sign({ ...good(), ...changed() }))).toBe(401);
    });

    it('that is signed by another key, by none, or is of another kind', async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const other = privateKey.export({ format: 'jwk' }) as JWK;
      expect(await statusOf(await sign(good(), { jwk: other }))).toBe(401);
      expect(await statusOf(await sign(good(), { typ: 'JWT' }))).toBe(401);
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      expect(await statusOf(`${part({ alg: 'none', typ: 'at+jwt' })}.${part(good())}.`)).toBe(401);
      expect(await statusOf('x')).toBe(401);
    });

    it('that lacks the scope to read, with the scope in the challenge', async () => {
      const refused = await post(`Bearer ${await sign({ ...good(), scope: 'tickets:write' })}`);
      expect(missingScopesOf(refused)).toEqual(['tickets:read']);
    });
  });
});

describe('its authorization server', () => {
  it('shows who asks for what, as text, and signs in who is chosen and known', async () => {
    const odd = await register('<script>alert(1)</script> & "friends"');
    const visit = await visitConsent(authorizationRequest(found.scopes, odd).url);
    expect(visit.page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;friends&quot;');
    expect(visit.page).not.toContain('<script');
    for (const text of ['For demos only', '127.0.0.1:8080', 'tickets:read', 'Ada Admin', 'Max Member']) {
      expect(visit.page).toContain(text);
    }
    for (const stranger of ['mallory', '__proto__', undefined]) {
      await expect(visit.decide('allow', stranger)).rejects.toThrow('leads nowhere');
    }
    expect(outcomeOf(await visit.decide('allow', 'max')).kind).toBe('code');
  });

  it('tells the client that the person denied it', async () => {
    const visit = await visitConsent(authorizationRequest().url);
    expect(outcomeOf(await visit.decide('deny'))).toMatchObject({ kind: 'denied', error: 'access_denied' });
  });

  it('refuses a request without PKCE by S256, and one for another server', async () => {
    const url = new URL(authorizationRequest().url);
    const without = (change: (parameters: URLSearchParams) => void) => {
      const changed = new URL(url);
      change(changed.searchParams);
      return visitConsent(changed.href);
    };
    await expect(
      without((parameters) => {
        parameters.delete('code_challenge');
        parameters.delete('code_challenge_method');
      }),
    ).rejects.toThrow('invalid_request');
    await expect(without((parameters) => parameters.set('code_challenge_method', 'plain'))).rejects.toThrow(
      'invalid_request',
    );
    await expect(
      without((parameters) => parameters.set('resource', 'http://127.0.0.1:1/mcp')),
    ).rejects.toThrow('invalid_target');
  });

  it('gives short tokens, and new ones for a refresh token that is good once', async () => {
    const startedAtMs = Date.now();
    const first = await signIn('max');
    expect(first.expiresAt?.getTime()).toBeLessThanOrEqual(Date.now() + 300_000);
    expect(first.expiresAt?.getTime()).toBeGreaterThanOrEqual(startedAtMs + 300_000);
    const second = await refresh(first.refreshToken);
    expect(await callTool(second.accessToken, 'whoami')).toMatchObject({ id: 'max' });
    expect(await refusalOf(refresh(first.refreshToken))).toBe('invalid_grant');
    // What was seen twice was stolen from somebody: the newer one has ended, too.
    expect(await refusalOf(refresh(second.refreshToken))).toBe('invalid_grant');
  });

  it('knows clients and sign-ins after a crash, with the same key, and keeps them from other users', async () => {
    const { refreshToken, accessToken } = await signIn('ada');
    await remote.restart();
    expect(await callTool(accessToken, 'whoami')).toMatchObject({ id: 'ada' });
    const renewed = await refresh(refreshToken);
    expect(await callTool(renewed.accessToken, 'whoami')).toMatchObject({ id: 'ada' });
    for (const file of ['keys.json', 'clients.json']) {
      expect(statSync(join(remote.directory, file)).mode & 0o777).toBe(0o600);
    }
  });

  it('ends a sign-in that is revoked, and a client that is deleted', async () => {
    const { refreshToken } = await signIn('ada');
    const { authorizationServer: server } = found;
    const revocation = { token: refreshToken ?? '', hint: 'refresh_token' } as const;
    expect(await revokeToken(context(), server, client, revocation)).toBe(true);
    expect(await refusalOf(refresh(refreshToken))).toBe('invalid_grant');
    const other = await register();
    if (other.management === null) {
      throw new Error('it cannot be deleted');
    }
    expect(await deleteClient(context(), other.management)).toBe(true);
    expect(await refusalOf(refresh(refreshToken, other))).toBe('invalid_client');
  });

  it('starts without its clients when their file is damaged, which says invalid_client', async () => {
    writeFileSync(join(remote.directory, 'clients.json'), '{"damaged');
    await remote.restart();
    expect(await refusalOf(refresh('x'))).toBe('invalid_client');
    client = await register();
    expect(await callTool((await signIn('ada')).accessToken, 'whoami')).toMatchObject({ id: 'ada' });
  });

  it.each([
    ['ISSUER', { ISSUER: 'http://identity.example:9000' }],
    ['SERVER_URL', { SERVER_URL: 'http://10.0.0.1/mcp' }],
  ])('refuses an address other than this machine: %s', (name, changed) => {
    const env = {
      ISSUER: remote.issuer,
      SERVER_URL: remote.url,
      DATA_DIR: remote.directory,
      ...changed,
    };
    const { status, stderr } = spawnSync(process.execPath, [demoRemoteProgram], { env, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain(`${name} must be an address on localhost`);
  });
});
