/**
 * Sign-ins at real authorization servers, from the URL of a remote server to the revocation of its tokens.
 */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type AuthorizationOutcome,
  buildAuthorizationRequest,
  parseAuthorizationResponse,
  readAuthorizationResponse,
} from '../../../../lib/oauth/authorization.ts';
import { chooseClient } from '../../../../lib/oauth/choose-client.ts';
import { discoverRemoteServer, type SignInServer } from '../../../../lib/oauth/discover.ts';
import { type RegisteredClient, registerClient } from '../../../../lib/oauth/register-client.ts';
import type { OAuthContext } from '../../../../lib/oauth/requests.ts';
import { redeemCode, refreshTokens, revokeToken, type Tokens } from '../../../../lib/oauth/tokens.ts';
import { paths, type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';
import { contextFor, tokenErrorOf } from './asking.ts';
import { followTo } from './browser.ts';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';
import { startSdkAuthorizationServer } from './sdk-authorization-server.ts';

const running: { close(): Promise<void> }[] = [];
const started = async <Server extends { close(): Promise<void> }>(
  starting: Promise<Server>,
): Promise<Server> => {
  const server = await starting;
  running.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const redirectUri = 'https://platform.test/oauth/callback/1';
const now = new Date();

interface Registered {
  context: OAuthContext;
  found: SignInServer;
  client: RegisteredClient;
}

/** Discovers the server, and registers a client of this method. */
async function register(
  context: OAuthContext,
  server: RemoteServer,
  tokenAuthMethod?: 'none' | 'client_secret_post',
): Promise<Registered> {
  const found = await discoverRemoteServer(context, server.url);
  if (found.kind !== 'sign_in') {
    throw new Error('it needs a sign-in');
  }
  const { authorizationServer } = found;
  const chosen = chooseClient(authorizationServer, { preRegistered: null, metadataUrl: null });
  const options = { redirectUri, clientName: 'Platform' };
  const method = { tokenAuthMethod: tokenAuthMethod ?? chosen.tokenAuthMethod };
  const client = await registerClient(context, authorizationServer, { ...options, ...method }, now);
  return { context, found, client };
}

/** Leads a browser through the sign-in. */
async function signIn({ context, found, client }: Registered, changed: Partial<SignInServer> = {}) {
  const { authorizationServer: server, resource, scopes } = { ...found, ...changed };
  const { clientId } = client;
  const options = { server, clientId, redirectUri, resource, scopes };
  const { url, state, codeVerifier } = buildAuthorizationRequest(context.policy, options, randomBytes);
  const query = await followTo(redirectUri, url, context.certificateAuthority);
  const response = parseAuthorizationResponse(query);
  expect(response.state).toBe(state);
  return { outcome: readAuthorizationResponse(server, response), codeVerifier };
}

const codeOf = (outcome: AuthorizationOutcome): string => {
  if (outcome.kind !== 'code') {
    throw new Error(outcome.sentence);
  }
  return outcome.code;
};

const redeem = (
  { context, found, client }: Registered,
  code: string,
  codeVerifier: string,
  resource = found.resource,
) =>
  redeemCode(context, found.authorizationServer, client, { code, codeVerifier, redirectUri, resource }, now);

async function connect(registered: Registered): Promise<Tokens & { refreshToken: string }> {
  const { outcome, codeVerifier } = await signIn(registered);
  const tokens = await redeem(registered, codeOf(outcome), codeVerifier);
  if (tokens.refreshToken === null) {
    throw new Error('it gave no refresh token');
  }
  return { ...tokens, refreshToken: tokens.refreshToken };
}

const refresh = ({ context, found, client }: Registered, refreshToken: string, scopes: string[] = []) =>
  refreshTokens(
    context,
    found.authorizationServer,
    client,
    { refreshToken, resource: found.resource, scopes },
    now,
  );

const used = { code: 'invalid_grant', outcome: 'refused', isTemporary: false };

describe('an OpenID provider', () => {
  let provider: OpenIdProvider;
  let server: RemoteServer;

  async function begin(method?: 'none' | 'client_secret_post', path = ''): Promise<Registered> {
    server = await started(startRemoteServer());
    provider = await started(startOpenIdProvider(path, server.url));
    server.change({
      [paths.resource]: { json: { resource: server.url, authorization_servers: [provider.issuer] } },
    });
    const { policy, ...others } = contextFor([server.host], { certificateAuthority: provider.certificate });
    const privateHosts = new Map([...policy.privateHosts, [provider.host, 'https' as const]]);
    return register({ ...others, policy: { ...policy, privateHosts } }, server, method);
  }

  it.each([
    [undefined, ''],
    ['client_secret_post', ''],
    ['none', ''],
    [undefined, '/tenant'],
  ] as const)(
    'signs a person in with the method %s at %j, refreshes with rotation, and revokes',
    async (method, path) => {
      const registered = await begin(method, path);
      expect(registered.client.tokenAuthMethod).toBe(method ?? 'client_secret_basic');
      const first = await connect(registered);
      expect(await provider.holderOf(first.accessToken)).toEqual({
        person: 'ada',
        resource: server.url,
        scope: 'notes.write',
      });
      expect(first.expiresAt?.getTime()).toBe(now.getTime() + 3600 * 1000);

      const second = await refresh(registered, first.refreshToken);
      expect(second.refreshToken).not.toBe(first.refreshToken);
      expect(await provider.holderOf(second.accessToken)).toMatchObject({
        person: 'ada',
        resource: server.url,
      });

      const { context, client, found } = registered;
      const revoke = () =>
        revokeToken(context, found.authorizationServer, client, {
          token: second.refreshToken,
          hint: 'refresh_token',
        });
      expect(await revoke()).toBe(true);
      expect(await tokenErrorOf(refresh(registered, second.refreshToken))).toMatchObject(used);
      expect(await provider.holderOf(second.accessToken)).toBeNull();
      // A second time, as after a lost answer.
      expect(await revoke()).toBe(true);
    },
  );

  it('ends all when an old refresh token is used again, which asks for a new sign-in', async () => {
    const registered = await begin();
    const first = await connect(registered);
    const second = await refresh(registered, first.refreshToken);
    expect(await tokenErrorOf(refresh(registered, first.refreshToken))).toMatchObject(used);
    expect(await tokenErrorOf(refresh(registered, second.refreshToken))).toMatchObject(used);
    expect(await provider.holderOf(second.accessToken)).toBeNull();
    expect(await provider.holderOf((await connect(registered)).accessToken)).toMatchObject({ person: 'ada' });
  });

  it('redeems a code once, with its verifier, and for its resource', async () => {
    const registered = await begin();
    const { outcome, codeVerifier } = await signIn(registered);
    const code = codeOf(outcome);
    const other = randomBytes(32).toString('base64url');
    expect(await tokenErrorOf(redeem(registered, code, other))).toMatchObject(used);
    const next = await signIn(registered);
    const tokens = await redeem(registered, codeOf(next.outcome), next.codeVerifier);
    expect(await tokenErrorOf(redeem(registered, codeOf(next.outcome), next.codeVerifier))).toMatchObject(
      used,
    );
    // A code that is seen twice was stolen from somebody: its tokens are gone, too.
    expect(await provider.holderOf(tokens.accessToken)).toBeNull();
    const third = await signIn(registered);
    expect(
      await tokenErrorOf(
        redeem(registered, codeOf(third.outcome), third.codeVerifier, `${server.url}/other`),
      ),
    ).toMatchObject({ code: 'invalid_target', outcome: 'refused' });
    expect(codeVerifier).not.toBe(next.codeVerifier);
  });

  it('says that the person denied it, and that a resource or scope is none of its own', async () => {
    const registered = await begin();
    const elsewhere = await signIn(registered, { resource: `${server.url}/other` });
    expect(elsewhere.outcome).toMatchObject({ kind: 'refused', error: 'invalid_target' });
    provider.decide('deny');
    const denied = await signIn(registered);
    expect(denied.outcome).toMatchObject({
      kind: 'denied',
      error: 'access_denied',
      sentence: expect.stringContaining('saying "End-User aborted interaction"; sign in again'),
    });
  });

  it('refuses more scopes than were granted, and a client that it does not know', async () => {
    const registered = await begin();
    const { refreshToken } = await connect(registered);
    expect(await tokenErrorOf(refresh(registered, refreshToken, ['notes.read']))).toMatchObject({
      code: 'invalid_scope',
      outcome: 'refused',
    });
    const stranger = { ...registered.client, clientSecret: 'not-its-secret' };
    const error = await tokenErrorOf(refresh({ ...registered, client: stranger }, refreshToken));
    expect(error).toMatchObject({ code: 'invalid_client', outcome: 'refused', isTemporary: false });
    // None of these used the token up.
    expect(await refresh(registered, refreshToken)).toMatchObject({ tokenType: 'Bearer' });
  });
});

describe('the authorization server of the SDK', () => {
  it('signs a person in, refreshes with rotation, and revokes', async () => {
    const server = await started(startRemoteServer());
    const provider = await started(startSdkAuthorizationServer());
    server.change({
      [paths.resource]: { json: { resource: server.url, authorization_servers: [provider.issuer] } },
    });
    const registered = await register(contextFor([server.host, provider.host]), server);
    expect(registered.client.tokenAuthMethod).toBe('client_secret_post');
    const first = await connect(registered);
    expect(first).toMatchObject({ scopes: ['notes.write'], tokenType: 'Bearer' });
    const second = await refresh(registered, first.refreshToken);
    expect(provider.knows(second.refreshToken)).toBe(true);

    const reused = await tokenErrorOf(refresh(registered, first.refreshToken));
    expect(reused).toMatchObject(used);
    // It repeats the token in its answer.
    expect(reused?.message).toContain('words that are left out because they repeat a credential');

    const { context, found, client } = registered;
    const revocation = { token: second.refreshToken, hint: 'refresh_token' as const };
    expect(await revokeToken(context, found.authorizationServer, client, revocation)).toBe(true);
    expect(provider.knows(second.refreshToken)).toBe(false);
  });
});
