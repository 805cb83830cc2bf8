/** Where the secret of a client goes when a token is revoked. */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { TokenAuthMethod } from '../../../../lib/oauth/metadata.ts';
import { revokeToken } from '../../../../lib/oauth/tokens.ts';
import { paths, type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';
import { contextFor, tokenErrorOf } from './asking.ts';

let server: RemoteServer;
beforeAll(async () => {
  server = await startRemoteServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  // As the Python SDK's: it wants the header, and a secret in the form, too.
  server.change({
    [paths.revoke]: ({ headers }, response, body) => {
      const isThere = headers.authorization !== undefined && new URLSearchParams(body).has('client_secret');
      response
        .writeHead(isThere ? 200 : 400, { 'content-type': 'application/json' })
        .end(
          isThere ? '' : '{"error":"invalid_request","error_description":"client_secret: Field required"}',
        );
    },
  });
});

const revoke = (methods: TokenAuthMethod[]) =>
  revokeToken(
    contextFor([server.host]),
    {
      issuer: server.origin,
      revocationEndpoint: `${server.origin}/revoke`,
      revocationAuthMethods: methods,
    },
    {
      ...{ issuer: server.origin, clientId: 'the-client', clientSecret: 'the-client-secret' },
      tokenAuthMethod: 'client_secret_basic',
    },
    { token: 'the-token', hint: 'refresh_token' },
  );
const sent = () =>
  server.requests.map(({ headers, body }) => [
    headers.authorization !== undefined,
    new URLSearchParams(body).get('client_secret'),
  ]);

it('is the form, too, when a server that takes it there refuses a form without it', async () => {
  expect(await revoke(['client_secret_post', 'client_secret_basic'])).toBe(true);
  expect(sent()).toEqual([
    [true, null],
    [true, 'the-client-secret'],
  ]);
});

it('is never the form of a server that does not say so', async () => {
  expect(await tokenErrorOf(revoke(['client_secret_basic']))).toMatchObject({ code: 'request_refused' });
  expect(sent()).toEqual([[true, null]]);
});
