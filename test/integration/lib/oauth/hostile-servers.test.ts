/**
 * Servers that lie about who they are, lead elsewhere, stall or send too much, against the requests of
 * discovery and registration.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { discoverRemoteServer } from '../../../../lib/oauth/discover.ts';
import { readAuthorizationServer } from '../../../../lib/oauth/metadata.ts';
import { deleteClient, registerClient } from '../../../../lib/oauth/register-client.ts';
import { honestClient, paths, type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';
import { contextFor, refusalOf, slowLimitMs, smallLimits } from './asking.ts';
import type { Attack } from './attacks/attack.ts';
import { issuerAttacks } from './attacks/issuer.ts';
import { probeAttacks } from './attacks/probe.ts';
import { deletionAttacks, registrationAttacks } from './attacks/registration.ts';
import { resourceAttacks } from './attacks/resource.ts';

/** Listed like the hostile one: only the rules keep requests from it. */
let other: RemoteServer;
let hostile: RemoteServer;
let attempts = 0;

beforeAll(async () => {
  other = await startRemoteServer();
});
afterAll(async () => {
  await other.close();
  process.stdout.write(
    `${attempts} attacks of remote servers, ${other.requests.length} requests led elsewhere\n`,
  );
});
beforeEach(async () => {
  hostile = await startRemoteServer();
});
afterEach(() => hostile.close());

const context = (attack?: Attack) => {
  const limits = attack?.isSlow === true ? { ...smallLimits, requestTimeoutMs: slowLimitMs } : smallLimits;
  return contextFor([hostile.host, other.host], { limits });
};
const options = {
  redirectUri: 'https://platform.test/callback/1',
  clientName: 'Platform',
  tokenAuthMethod: 'client_secret_basic' as const,
};
const secrets = /the-client-secret|the-registration-token/;

/**
 * Makes the attack on `work`; the refusal is the one expected, readable, without a secret, and
 * nothing was led elsewhere.
 */
async function suffer(attack: Attack, work: () => Promise<unknown>): Promise<void> {
  attempts += 1;
  hostile.change(attack.replies(hostile.origin, other.origin));
  const refusal = await refusalOf(work());
  expect(refusal?.code ?? null).toBe(attack.code);
  expect(refusal?.message ?? '').toContain(attack.says ?? '');
  expect(refusal?.isTemporary ?? false).toBe(attack.isTemporary ?? false);
  expect(refusal?.message ?? 'None.').toMatch(/^[\w"][^\p{Cc}\p{Cf}]*[.?]$/u);
  expect(refusal?.message.length ?? 0).toBeLessThan(1000);
  expect(`${refusal?.message} ${refusal?.stack}`).not.toMatch(secrets);
  expect(other.requests).toEqual([]);
  expect(hostile.requests.length).toBeLessThanOrEqual(attack.maxRequests ?? 11);
}

const named = (attacks: readonly Attack[]) => attacks.map((attack) => [attack.name, attack] as const);

describe('discovery refuses', () => {
  it.each(named([...probeAttacks, ...resourceAttacks, ...issuerAttacks]))('%s', async (_name, attack) => {
    await suffer(attack, () => discoverRemoteServer(context(attack), hostile.url));
  });
});

describe('registration refuses', () => {
  it.each(named(registrationAttacks))('%s', async (_name, attack) => {
    const server = await readAuthorizationServer(context(), hostile.origin);
    hostile.requests.length = 0;
    await suffer(attack, () => registerClient(context(attack), server, options, new Date()));
  });

  it.each(named(deletionAttacks))('%s', async (_name, attack) => {
    const management = { url: `${hostile.origin}/register/1`, accessToken: 'the-registration-token' };
    await suffer(attack, () => deleteClient(context(attack), management));
  });

  it('an address for the deletion on another origin, where the token would go', async () => {
    attempts += 1;
    const server = await readAuthorizationServer(context(), hostile.origin);
    hostile.change({
      [paths.register]: (_request, response, body) => {
        const client = honestClient(hostile.origin, JSON.parse(body));
        const text = JSON.stringify({ ...client, registration_client_uri: `${other.origin}/register/1` });
        response.writeHead(201, { 'content-type': 'application/json' }).end(text);
      },
    });
    const client = await registerClient(context(), server, options, new Date());
    expect(client).toMatchObject({ clientId: 'the-client', management: null });
    expect(other.requests).toEqual([]);
  });
});

describe('a server that is not listed', () => {
  it('is not asked at a private address, wherever it is named', async () => {
    const alone = contextFor([hostile.host], { limits: smallLimits });
    hostile.change({
      [paths.mcp]: (_request, response) => response.writeHead(307, { location: other.url }).end(),
    });
    expect(await refusalOf(discoverRemoteServer(alone, other.url))).toMatchObject({ code: 'url_refused' });
    expect(await refusalOf(discoverRemoteServer(alone, other.url.replace('http:', 'https:')))).toMatchObject({
      code: 'url_refused',
    });
    expect(await refusalOf(discoverRemoteServer(alone, hostile.url))).toMatchObject({
      code: 'not_an_mcp_server',
    });
    expect(other.requests).toEqual([]);
  });
});
