/**
 * Authorization servers and thieves against the sign-in: what may be redeemed, and where a code, a
 * token or a secret may go.
 */
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  OAuthResponseError,
  parseAuthorizationResponse,
  readAuthorizationResponse,
} from '../../../../lib/oauth/authorization.ts';
import { formEncoded } from '../../../../lib/oauth/errors.ts';
import { basicCredentials } from '../../../../lib/oauth/send-credential.ts';
import type { OAuthTokenError } from '../../../../lib/oauth/token-errors.ts';
import { redeemCode, refreshTokens, revokeToken } from '../../../../lib/oauth/tokens.ts';
import { type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';
import { contextFor, smallLimits, tokenErrorOf } from './asking.ts';
import { held, honestTokens, secrets, type TokenAttack } from './token-attacks/attack.ts';
import { endpointAttacks } from './token-attacks/endpoints.ts';
import { refusalAttacks, revocationAttacks } from './token-attacks/refusals.ts';
import { responseAttacks } from './token-attacks/responses.ts';
import { tokenAttacks } from './token-attacks/tokens.ts';
import { transportAttacks } from './token-attacks/transport.ts';

/** Listed like the hostile one: only the rules keep requests from it. */
let other: RemoteServer;
let hostile: RemoteServer;
let attempts = 0;

beforeAll(async () => {
  other = await startRemoteServer();
});
afterAll(async () => {
  await other.close();
  process.stdout.write(`${attempts} attacks on tokens, ${other.requests.length} requests led elsewhere\n`);
});
beforeEach(async () => {
  hostile = await startRemoteServer();
});
afterEach(() => hostile.close());

const now = new Date();
const clientId = 'the-client';
const client = () => ({
  issuer: hostile.origin,
  clientId,
  tokenAuthMethod: 'client_secret_basic' as const,
  clientSecret: held.clientSecret,
});
const server = (changed: { tokenEndpoint?: string; revocationEndpoint?: string } = {}) => ({
  issuer: hostile.origin,
  sendsIssuer: true,
  tokenEndpoint: `${hostile.origin}/token`,
  revocationEndpoint: `${hostile.origin}/revoke`,
  revocationAuthMethods: ['client_secret_basic' as const],
  ...changed,
});
const context = (attack?: TokenAttack) => {
  const limits = attack?.isSlow === true ? { ...smallLimits, requestTimeoutMs: 1000 } : smallLimits;
  return contextFor([hostile.host, other.host], { limits });
};
const redemption = () => ({
  code: held.code,
  codeVerifier: held.codeVerifier,
  redirectUri: 'https://platform.test/callback/1',
  resource: 'https://server.test/mcp',
});
const refresh = { refreshToken: held.refreshToken, resource: 'https://server.test/mcp', scopes: [] };
const requests = {
  redeemed: (given: ReturnType<typeof server>, asking: ReturnType<typeof context>) =>
    redeemCode(asking, given, client(), redemption(), now),
  refreshed: (given: ReturnType<typeof server>, asking: ReturnType<typeof context>) =>
    refreshTokens(asking, given, client(), refresh, now),
  revoked: (given: ReturnType<typeof server>, asking: ReturnType<typeof context>) =>
    revokeToken(asking, given, client(), { token: held.refreshToken, hint: 'refresh_token' }),
};

const hidden = [...secrets, basicCredentials(clientId, held.clientSecret)].flatMap((secret) => [
  secret,
  formEncoded(secret),
  secret.replaceAll(/\W/g, ''),
  Buffer.from(secret).toString('base64'),
]);

/** One readable sentence; neither it nor anything else in the error is a credential. */
function expectReadable(error: Error): void {
  expect(error.message).toMatch(/^[\w"][^\p{Cc}\p{Cf}]*[.?]$/u);
  expect(error.message.length).toBeLessThan(1000);
  const all = inspect(error, { showHidden: true, depth: null }).toLowerCase();
  const letters = all.replaceAll(/[^a-z0-9]/g, '');
  expect(hidden.filter((secret) => all.includes(secret.toLowerCase()))).toEqual([]);
  expect(hidden.filter((secret) => letters.includes(secret.toLowerCase()))).toEqual([]);
}

function expectRefusal(attack: TokenAttack, error: OAuthTokenError | null): void {
  expect(error?.code ?? null).toBe(attack.code);
  expect(error?.message ?? '').toContain(attack.says ?? '');
  if (error !== null) {
    expect([error.outcome, error.isTemporary]).toEqual([
      attack.outcome ?? 'unknown',
      attack.isTemporary ?? false,
    ]);
    expectReadable(error);
  }
}

/** One request, to the hostile server, and none elsewhere. */
function expectNothingElsewhere(): void {
  expect(other.requests).toEqual([]);
  expect(hostile.requests).toHaveLength(1);
}

const named = <Attack extends { name: string }>(attacks: readonly Attack[]) =>
  attacks.map((attack) => [attack.name, attack] as const);

const answers = [...tokenAttacks, ...transportAttacks, ...refusalAttacks];

describe.each(['redeemed', 'refreshed'] as const)('a credential is %s against', (kind) => {
  it.each(named(answers))('%s', async (_name, attack) => {
    attempts += 1;
    hostile.change({ 'POST /token': attack.reply(other.origin, hostile.origin) });
    const request = requests[kind](server(), context(attack));
    expectRefusal(attack, await tokenErrorOf(request));
    expectNothingElsewhere();
    if (attack.code === null) {
      expect(await request).toMatchObject({ tokenType: 'Bearer', ...attack.gives });
    }
  });
});

describe('a token is revoked against', () => {
  it.each(named(revocationAttacks))('%s', async (_name, attack) => {
    attempts += 1;
    hostile.change({ 'POST /revoke': attack.reply(other.origin, hostile.origin) });
    const request = requests.revoked(server(), context(attack));
    const error = await tokenErrorOf(request);
    // What is to be done is told by the code and the start of the sentence, which are those of the other
    // requests but for the deed.
    expectRefusal(
      { ...attack, says: attack.says?.replace('to give tokens', 'to revoke a token') ?? '' },
      error,
    );
    expectNothingElsewhere();
  });
});

describe.each(['redeemed', 'refreshed', 'revoked'] as const)('no credential is %s at', (kind) => {
  it.each(named(endpointAttacks))('%s', async (_name, { url, resolveName, says }) => {
    attempts += 1;
    const endpoint = url(hostile.origin, other.origin);
    const alone = contextFor([hostile.host], {
      limits: smallLimits,
      ...(resolveName === undefined ? {} : { resolveName }),
    });
    const given = server({ tokenEndpoint: endpoint, revocationEndpoint: endpoint });
    const error = await tokenErrorOf(requests[kind](given, alone));
    expect(error).toMatchObject({ outcome: 'not_sent', message: expect.stringContaining(says) });
    expectReadable(error ?? new Error());
    expect([...hostile.requests, ...other.requests]).toEqual([]);
  });
});

describe('a code is not redeemed with', () => {
  const state = 's'.repeat(43);

  it.each(named(responseAttacks))('%s', async (_name, { query, sendsIssuer = true, becomes }) => {
    attempts += 1;
    const replaced: Record<string, string> = {
      TWICEISSUER: encodeURIComponent(encodeURIComponent(hostile.origin)),
      HTTPSISSUER: encodeURIComponent(hostile.origin.replace('http:', 'https:')),
      ISSUER: encodeURIComponent(hostile.origin),
      STATE: state,
      CODE: encodeURIComponent(held.code),
    };
    const text = query.replaceAll(
      /TWICEISSUER|HTTPSISSUER|ISSUER|STATE|CODE/g,
      (name) => replaced[name] ?? '',
    );
    const signIn = async () => {
      const response = readAuthorizationResponse(
        { issuer: hostile.origin, sendsIssuer },
        parseAuthorizationResponse(text),
      );
      if (response.kind === 'code') {
        await requests.redeemed(server(), context());
      }
      return response;
    };
    const outcome = await signIn().catch((error: unknown) => error);
    if (outcome instanceof OAuthResponseError) {
      expect(outcome.code).toBe(becomes);
      expectReadable(outcome);
      expect(outcome.message).not.toMatch(/access_denied|Call us/);
    } else {
      expect(outcome).toMatchObject({
        kind: becomes,
        sentence: expect.stringMatching(/^[^\p{Cc}\p{Cf}]+\.$/u),
      });
    }
    expect(inspect(outcome)).not.toContain(state);
    expect([...hostile.requests, ...other.requests]).toEqual([]);
  });

  it('the client of another server', async () => {
    const stranger = { ...client(), issuer: `${hostile.origin}/` };
    const error = await tokenErrorOf(redeemCode(context(), server(), stranger, redemption(), now));
    expect(error).toMatchObject({ code: 'invalid_client', outcome: 'not_sent' });
    expectReadable(error ?? new Error());
    expect(hostile.requests).toEqual([]);
  });
});

describe('a name whose address changes', () => {
  it.each(['redeemed', 'refreshed', 'revoked'] as const)('gets nothing that is %s', async (kind) => {
    // Good when it is checked, and this machine when it is connected to: one look-up serves both.
    let lookups = 0;
    const rebinding = contextFor([], {
      limits: smallLimits,
      resolveName: async () => {
        lookups += 1;
        return [{ address: lookups === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }];
      },
    });
    const endpoint = `https://rebind.test:${new URL(other.origin).port}/token`;
    const given = server({ tokenEndpoint: endpoint, revocationEndpoint: endpoint });
    expect(await tokenErrorOf(requests[kind](given, rebinding))).toMatchObject({
      code: 'address_refused',
      outcome: 'not_sent',
    });
    expect(lookups).toBe(1);
    expect(other.requests).toEqual([]);
  });
});

describe('an honest answer', () => {
  it('gives the tokens, for what was sent as it has to be', async () => {
    hostile.change({ 'POST /token': { json: honestTokens } });
    expect(await requests.redeemed(server(), context())).toMatchObject({
      accessToken: honestTokens.access_token,
      refreshToken: honestTokens.refresh_token,
      scopes: ['notes.read'],
    });
    const [sent] = hostile.requests;
    expect(sent?.headers.authorization).toBe(`Basic ${basicCredentials(clientId, held.clientSecret)}`);
    expect(Object.fromEntries(new URLSearchParams(sent?.body))).toEqual({
      // Some servers want it there beside the Basic credentials.
      client_id: clientId,
      grant_type: 'authorization_code',
      code: held.code,
      code_verifier: held.codeVerifier,
      redirect_uri: 'https://platform.test/callback/1',
      resource: 'https://server.test/mcp',
    });
  });

  it.each([
    ['a new one', honestTokens.refresh_token, honestTokens.refresh_token],
    ['the same one', held.refreshToken, held.refreshToken],
    ['none', undefined, held.refreshToken],
    ['an empty one', '', held.refreshToken],
  ])('to a refresh with %s as its refresh token says which one is kept', async (_what, given, kept) => {
    hostile.change({ 'POST /token': { json: { ...honestTokens, refresh_token: given } } });
    expect(await requests.refreshed(server(), context())).toMatchObject({ refreshToken: kept });
  });

  it('is not waited for when the work is stopped, which gives its reason', async () => {
    hostile.change({ 'POST /token': () => stopped.abort(new Error('stopped')) });
    const stopped = new AbortController();
    const asking = { ...context(), signal: stopped.signal };
    await expect(requests.refreshed(server(), asking)).rejects.toThrow('stopped');
  });
});
