/** Discovery, registration and deletion at a real authorization server. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { chooseClient } from '../../../../lib/oauth/choose-client.ts';
import { discoverRemoteServer, type SignInServer } from '../../../../lib/oauth/discover.ts';
import { deleteClient, registerClient } from '../../../../lib/oauth/register-client.ts';
import { paths, type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';
import { contextFor, refusalOf } from './asking.ts';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

let provider: OpenIdProvider;
let server: RemoteServer;
afterEach(async () => {
  await Promise.all([provider.close(), server.close()]);
});

const context = () => {
  const { policy, ...others } = contextFor([server.host], { certificateAuthority: provider.certificate });
  return {
    ...others,
    policy: { ...policy, privateHosts: new Map([...policy.privateHosts, [provider.host, 'https' as const]]) },
  };
};

/** A server whose people sign in at the provider. */
async function discover(path = ''): Promise<SignInServer> {
  provider = await startOpenIdProvider(path);
  server = await startRemoteServer();
  server.change({
    [paths.resource]: { json: { resource: server.url, authorization_servers: [provider.issuer] } },
  });
  const found = await discoverRemoteServer(context(), server.url);
  if (found.kind !== 'sign_in') {
    throw new Error('it needs a sign-in');
  }
  return found;
}

const options = { redirectUri: 'https://platform.test/oauth/callback/1', clientName: 'Platform' };

describe('a real authorization server', () => {
  it.each(['', '/tenant'])('is discovered, and registers and deletes a client (%s)', async (path) => {
    const { authorizationServer, scopes } = await discover(path);
    expect(authorizationServer).toMatchObject({
      issuer: provider.issuer,
      registrationEndpoint: `${provider.issuer}/reg`,
      refreshesTokens: true,
      sendsIssuer: true,
    });
    expect(scopes).toEqual(['notes.write', 'offline_access']);
    const { kind, tokenAuthMethod } = chooseClient(authorizationServer, {
      preRegistered: null,
      metadataUrl: null,
    });
    expect([kind, tokenAuthMethod]).toEqual(['registered', 'client_secret_basic']);
    const client = await registerClient(
      context(),
      authorizationServer,
      { ...options, tokenAuthMethod },
      new Date(),
    );
    expect(client).toMatchObject({
      issuer: provider.issuer,
      redirectUri: options.redirectUri,
      tokenAuthMethod,
      clientSecret: expect.any(String),
      refreshesTokens: true,
      management: { url: `${provider.issuer}/reg/${client.clientId}` },
    });
    expect(await provider.knows(client.clientId)).toBe(true);
    const management = client.management ?? { url: '', accessToken: '' };
    expect(await deleteClient(context(), management)).toBe(true);
    expect(await provider.knows(client.clientId)).toBe(false);
    // A second time, as after a lost answer.
    expect(await deleteClient(context(), management)).toBe(true);
  });

  it.each([
    ['without a secret', { tokenAuthMethod: 'none' as const }],
    [
      'on a loopback address',
      { redirectUri: 'http://127.0.0.1:3000/oauth/callback/1', tokenAuthMethod: 'none' as const },
    ],
  ])('registers a client %s', async (_what, changed) => {
    const { authorizationServer } = await discover();
    expect(
      await registerClient(context(), authorizationServer, { ...options, ...changed }, new Date()),
    ).toMatchObject({
      tokenAuthMethod: 'none',
      clientSecret: null,
    });
  });

  it('refuses what it does not take, which is one sentence', async () => {
    const { authorizationServer } = await discover();
    const refused = { ...options, redirectUri: 'https://platform.test/#', tokenAuthMethod: 'none' as const };
    const refusal = await refusalOf(registerClient(context(), authorizationServer, refused, new Date()));
    expect(refusal).toMatchObject({ code: 'registration_refused', isTemporary: false });
    expect(refusal?.message).toMatch(
      /refuses to register the platform: "invalid_redirect_uri", saying ".+"; register it there by hand/,
    );
  });
});
