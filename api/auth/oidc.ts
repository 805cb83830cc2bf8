/** OIDC authorization code flow with PKCE, any provider (docs/sign-in.md). */
import * as oidc from 'openid-client';
import { EnvHttpProxyAgent, fetch } from 'undici';
import * as z from 'zod';
import type { ApiConfig } from '../../config/api.ts';
import { isLoopback } from '../../config/parse.ts';
import type { Groups } from '../../contract/group-rule.ts';
import { ApiError } from '../errors.ts';
import { type Claims, type Person, personOf, readGroups } from './claims.ts';

const callbackPath = '/api/auth/callback';
const usualScopes = 'openid email profile';

/** What the browser must bring back to the callback, in a signed cookie of its own. */
export interface SignInFlow {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** Where to go afterwards: a path on this origin. */
  returnTo: string;
  /** When it began, in seconds, if the provider has to ask who it is since; null: it need not. */
  asksAgainSince: number | null;
}

export interface OidcProvider {
  /** What refresh tokens are good for. */
  client: { issuer: string; clientId: string };
  /**
   * Begins a flow; returns it and the provider's URL to redirect the browser to. Throws 503 when the
   * provider is unreachable.
   */
  begin(returnTo: string, how?: { asksAgain: boolean }): Promise<{ flow: SignInFlow; url: string }>;
  /**
   * Who signed in, and whether they proved it since the flow began. `search` is the callback's query. Throws
   * 401 when the provider or the checks refuse, and when it had to ask again and did not; 503 as above.
   */
  finish(flow: SignInFlow, search: string): Promise<SignedInPerson>;
  /**
   * The groups that the person with this subject has now, for whom the provider gave the refresh token. One
   * that it gives in exchange is kept by `keep` before the answer is even checked: the first may be used up.
   * Throws RenewalRefusedError when the provider refuses the refresh token; whatever else it throws says
   * nothing of the person.
   */
  renew(
    refreshToken: string,
    subject: string,
    keep: (refreshToken: string) => Promise<void>,
  ): Promise<Groups>;
}

export interface SignedInPerson {
  person: Person;
  isProven: boolean;
  groups: Groups;
  /** Null where the provider gives none. */
  refreshToken: string | null;
}

export class RenewalRefusedError extends Error {
  override name = 'RenewalRefusedError';
}

type OidcSettings = Pick<
  ApiConfig,
  | 'OIDC_ISSUER'
  | 'OIDC_CLIENT_ID'
  | 'OIDC_CLIENT_SECRET'
  | 'OIDC_GROUPS_CLAIM'
  | 'OIDC_MORE_SCOPES'
  | 'PUBLIC_URL'
  | 'HTTPS_PROXY'
  | 'NO_PROXY'
>;

/**
 * What the provider says of itself is read again after this time; while it does not answer,
 * what it said before holds.
 */
const metadataValidMs = 10 * 60_000;
const timeoutSeconds = 10;

/**
 * Null when no provider is configured. What it says of itself is read at the first
 * sign-in, and from time to time.
 */
export function createOidcProvider(settings: OidcSettings): OidcProvider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = settings;
  if (issuer === undefined || clientId === undefined || publicUrl === undefined) {
    return null;
  }
  const redirectUri = new URL(callbackPath, publicUrl).href;
  const { OIDC_GROUPS_CLAIM: groupsClaim, OIDC_MORE_SCOPES: moreScopes } = settings;
  const scope = moreScopes === undefined ? usualScopes : `${usualScopes} ${moreScopes}`;
  const client = createClient({ ...settings, issuer: new URL(issuer), clientId });
  return {
    client: { issuer, clientId },
    async begin(returnTo, { asksAgain } = { asksAgain: false }) {
      const flow = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
        returnTo,
        asksAgainSince: asksAgain ? Math.floor(Date.now() / 1000) : null,
      };
      const url = oidc.buildAuthorizationUrl(await client.configuration(), {
        redirect_uri: redirectUri,
        scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.codeVerifier),
        code_challenge_method: 'S256',
        ...(asksAgain ? { prompt: 'login', max_age: '0' } : {}),
      });
      return { flow, url: url.href };
    },
    async finish(flow, search) {
      await client.configuration();
      const callback = new URL(redirectUri);
      callback.search = search;
      const { claims, more, refreshToken } = await client
        .authenticated((provider) => exchange(provider, callback, flow))
        .catch((cause) => {
          throw new ApiError('unauthenticated', 'The sign-in did not succeed; start it again', { cause });
        });
      const { asksAgainSince: since } = flow;
      const provenAt = claims.auth_time ?? null;
      const isProven = since !== null && provenAt !== null && provenAt >= since;
      if (since !== null && !isProven) {
        throw new ApiError(
          'unauthenticated',
          'The identity provider was told to ask who you are, and did not, or does not say when it did; start the sign-in again',
        );
      }
      return {
        person: personOf(claims, more),
        isProven,
        groups: readGroups([claims, more], groupsClaim),
        refreshToken,
      };
    },
    async renew(refreshToken, subject, keep) {
      const { tokens, provider } = await client
        .authenticated(async (provider) => ({
          tokens: await oidc.refreshTokenGrant(keeping(provider, keep), refreshToken),
          provider,
        }))
        .catch((error: unknown) => {
          throw isRefusedRenewal(error) ? new RenewalRefusedError('refused', { cause: error }) : error;
        });
      // A provider need not send an ID token again.
      const claims = tokens.claims();
      if (claims !== undefined && claims.sub !== subject) {
        throw new Error('the provider answered for another person');
      }
      const more = await readUserInfo(provider, tokens.access_token, subject);
      return readGroups(claims === undefined ? [more] : [claims, more], groupsClaim);
    },
  };
}

/** Other errors are the client's or the provider's own trouble, or say nothing of the person. */
const isRefusedRenewal = (error: unknown): boolean =>
  error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant';

const givenToken = z.object({ refresh_token: z.string().min(1) });

/** Hands a refresh token to `keep` as it arrives: what else is wrong with the answer does not lose it. */
function keeping(
  provider: oidc.Configuration,
  keep: (refreshToken: string) => Promise<void>,
): oidc.Configuration {
  const { token_endpoint: tokenEndpoint } = provider.serverMetadata();
  const ask = provider[oidc.customFetch] ?? (globalThis.fetch as oidc.CustomFetch);
  provider[oidc.customFetch] = async (url, options) => {
    const answer = await ask(url, options);
    if (url === tokenEndpoint && answer.ok) {
      const given = givenToken.safeParse(
        await answer
          .clone()
          .json()
          .catch(() => null),
      );
      if (given.success) {
        await keep(given.data.refresh_token);
      }
    }
    return answer;
  };
  return provider;
}

type AuthMethod = 'client_secret_post' | 'client_secret_basic' | 'none';

/**
 * The platform as a client of its provider: what that says of itself, and how it wants the client's secret.
 */
function createClient(
  settings: Pick<OidcSettings, 'OIDC_CLIENT_SECRET' | 'HTTPS_PROXY' | 'NO_PROXY'> & {
    issuer: URL;
    clientId: string;
  },
) {
  const { issuer, clientId, OIDC_CLIENT_SECRET: secret } = settings;
  const options = connectionTo(issuer, settings);
  let latest: { metadata: Promise<oidc.ServerMetadata>; readAtMs: number } | null = null;
  let method: AuthMethod | null = null;

  function metadata(): Promise<oidc.ServerMetadata> {
    if (latest !== null && Date.now() - latest.readAtMs < metadataValidMs) {
      return latest.metadata;
    }
    const earlier = latest;
    const read = { metadata: discover(issuer, clientId, options), readAtMs: Date.now() };
    read.metadata = read.metadata.catch((error: unknown) => {
      if (earlier !== null) {
        return earlier.metadata;
      }
      latest = null;
      throw error;
    });
    latest = read;
    return read.metadata;
  }

  async function configuration(used: AuthMethod | null = method): Promise<oidc.Configuration> {
    const server = await metadata();
    const [preferred = 'none'] = authMethods(server, secret);
    const configured = new oidc.Configuration(
      server,
      clientId,
      {},
      authentication(used ?? preferred, secret),
    );
    configured.timeout = timeoutSeconds;
    for (const extend of options.execute ?? []) {
      extend(configured);
    }
    const fetchOf = options[oidc.customFetch];
    if (fetchOf !== undefined) {
      configured[oidc.customFetch] = fetchOf;
    }
    return configured;
  }

  return {
    configuration: () => configuration(),

    /**
     * A provider may take several methods and this client one of them only: the first that it
     * takes is used from then on.
     */
    async authenticated<Result>(work: (provider: oidc.Configuration) => Promise<Result>): Promise<Result> {
      const methods = method === null ? authMethods(await metadata(), secret) : [method];
      let refused: unknown = null;
      for (const each of methods) {
        try {
          const result = await work(await configuration(each));
          method = each;
          return result;
        } catch (error) {
          if (!isRefusedClient(error)) {
            throw error;
          }
          // The client may have been changed: the next sign-in tries them all.
          method = null;
          refused = error;
        }
      }
      throw refused;
    },
  };
}

/**
 * Those that this client may try, the most usual first. A provider that names none takes
 * `client_secret_basic` (OpenID Connect Discovery).
 */
function authMethods(server: oidc.ServerMetadata, secret: string | undefined): AuthMethod[] {
  if (secret === undefined) {
    return ['none'];
  }
  const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic', 'client_secret_post'];
  const known = (['client_secret_post', 'client_secret_basic'] as const).filter((each) =>
    taken.includes(each),
  );
  return known.length > 0 ? known : ['client_secret_basic'];
}

function authentication(method: AuthMethod, secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined || method === 'none') {
    return oidc.None();
  }
  return method === 'client_secret_basic' ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

const isRefusedClient = (error: unknown): boolean =>
  (error instanceof oidc.ResponseBodyError && error.error === 'invalid_client') ||
  (error instanceof oidc.WWWAuthenticateChallengeError && error.status === 401);

/** A provider without TLS is accepted on loopback only. */
function connectionTo(
  issuer: URL,
  { HTTPS_PROXY: proxy, NO_PROXY: except }: Pick<OidcSettings, 'HTTPS_PROXY' | 'NO_PROXY'>,
): oidc.DiscoveryRequestOptions {
  const insecure = issuer.protocol === 'http:' && isLoopback(issuer.hostname.replace(/^\[|\]$/g, ''));
  return {
    execute: insecure ? [oidc.allowInsecureRequests] : [],
    timeout: timeoutSeconds,
    ...(proxy === undefined ? {} : { [oidc.customFetch]: fetchThrough(proxy, except) }),
  };
}

/** Throws 503 `unavailable`. */
async function discover(
  issuer: URL,
  clientId: string,
  options: oidc.DiscoveryRequestOptions,
): Promise<oidc.ServerMetadata> {
  const read = async (address: URL) =>
    (await oidc.discovery(address, clientId, {}, oidc.None(), options)).serverMetadata();
  try {
    return await read(issuer);
  } catch (error) {
    const named = otherName(error);
    if (named === null) {
      throw new ApiError('unavailable', 'The identity provider does not answer', { cause: error });
    }
    if (withoutSlash(named) === withoutSlash(issuer.href)) {
      return await read(new URL(named));
    }
    const message =
      'The identity provider goes by another name than OIDC_ISSUER; an operator has to correct it';
    throw new ApiError('unavailable', message, {
      cause: new Error(`OIDC_ISSUER is ${issuer.href}, and the provider says it is ${named}`),
    });
  }
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

/** The issuer that answered in place of the one that was asked, or null. */
function otherName(error: unknown): string | null {
  const mismatch = z
    .object({ attribute: z.literal('issuer'), body: z.object({ issuer: z.url() }) })
    .safeParse(error instanceof oidc.ClientError ? error.cause : null);
  return mismatch.success ? mismatch.data.body.issuer : null;
}

/** For the identity provider alone: what a workspace chose never goes through the operator's proxy. */
function fetchThrough(proxy: string, except: readonly string[]): oidc.CustomFetch {
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy: [...except, 'localhost', '127.0.0.1', '::1'].join(','),
  });
  return async (url, { method, headers, body, redirect, signal }) => {
    const sent = { method, headers, redirect, dispatcher };
    const answer = await fetch(url, {
      ...sent,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    // Documents and tokens, which are small.
    return new Response(await answer.text(), {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
    });
  };
}

/** The claims of the ID token, what else the provider says of the person, and what it gave for renewals. */
async function exchange(provider: oidc.Configuration, callback: URL, flow: SignInFlow) {
  const tokens = await oidc.authorizationCodeGrant(provider, callback, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) {
    throw new Error('the provider sent no ID token');
  }
  const more = await readUserInfo(provider, tokens.access_token, claims.sub);
  return { claims, more, refreshToken: tokens.refresh_token ?? null };
}

/** Throws where it is about another person. */
async function readUserInfo(
  provider: oidc.Configuration,
  accessToken: string,
  subject: string,
): Promise<Claims> {
  return provider.serverMetadata().userinfo_endpoint === undefined
    ? {}
    : { ...(await oidc.fetchUserInfo(provider, accessToken, subject)) };
}
