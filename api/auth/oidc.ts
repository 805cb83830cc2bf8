/** OIDC authorization code flow with PKCE, any provider (docs/sign-in.md). */
import * as oidc from 'openid-client';
import type { ApiConfig } from '../../config/api.ts';
import { isLoopback } from '../../config/parse.ts';
import { firstShown } from '../../contract/shown-name.ts';
import { ApiError } from '../errors.ts';

const callbackPath = '/api/auth/callback';
const scope = 'openid email profile';

/** What the browser must bring back to the callback, in a signed cookie of its own. */
export interface SignInFlow {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** Where to go afterwards: a path on this origin. */
  returnTo: string;
}

export interface Person {
  issuer: string;
  subject: string;
  email: string;
  /** The provider has verified the address. */
  email_verified: boolean;
  name: string;
}

export interface OidcProvider {
  /** Begins a flow; returns it and the provider's URL to redirect the browser to. Throws 503 when the provider is unreachable. */
  begin(returnTo: string): Promise<{ flow: SignInFlow; url: string }>;
  /** Who signed in. `search` is the callback's query. Throws 401 when the provider or the checks refuse, 503 as above. */
  finish(flow: SignInFlow, search: string): Promise<Person>;
}

type OidcSettings = Pick<ApiConfig, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'PUBLIC_URL'>;

/** Null when no provider is configured. The provider is discovered at the first sign-in and then cached. */
export function createOidcProvider(settings: OidcSettings): OidcProvider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = settings;
  if (issuer === undefined || clientId === undefined || publicUrl === undefined) {
    return null;
  }
  const redirectUri = new URL(callbackPath, publicUrl).href;
  let discovered: Promise<oidc.Configuration> | null = null;
  const configuration = () => {
    discovered ??= discover(new URL(issuer), clientId, settings.OIDC_CLIENT_SECRET).catch((cause) => {
      discovered = null;
      throw new ApiError('unavailable', 'The identity provider does not answer', { cause });
    });
    return discovered;
  };
  return {
    async begin(returnTo) {
      const flow = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
        returnTo,
      };
      const url = oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { flow, url: url.href };
    },
    async finish(flow, search) {
      const provider = await configuration();
      const callback = new URL(redirectUri);
      callback.search = search;
      return exchange(provider, callback, flow).catch((cause) => {
        throw new ApiError('unauthenticated', 'The sign-in did not succeed; start it again', { cause });
      });
    },
  };
}

/** A provider without TLS is accepted on loopback only. */
function discover(issuer: URL, clientId: string, clientSecret?: string): Promise<oidc.Configuration> {
  const insecure = issuer.protocol === 'http:' && isLoopback(issuer.hostname.replace(/^\[|\]$/g, ''));
  const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(clientSecret);
  return oidc.discovery(issuer, clientId, {}, authentication, {
    execute: insecure ? [oidc.allowInsecureRequests] : [],
    timeout: 10,
  });
}

async function exchange(provider: oidc.Configuration, callback: URL, flow: SignInFlow): Promise<Person> {
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
  const more =
    provider.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub);
  const { email, email_verified } = emailOf([claims, more]);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    email_verified,
    name: nameOf([claims, more], email, claims.sub),
  };
}

type Claims = Readonly<Record<string, unknown>>;

const textOf = (claims: Claims, name: string): string | undefined =>
  typeof claims[name] === 'string' ? claims[name] : undefined;

/** What others read of a person: the first that shows something. A subject that shows nothing is written in ASCII. */
function nameOf(sources: readonly Claims[], email: string, subject: string): string {
  const claimed = ['name', 'preferred_username'].flatMap((name) => sources.map((each) => textOf(each, name)));
  return firstShown([...claimed, email, subject, encodeURIComponent(subject.toWellFormed())]);
}

/** Of the first that names an address: what another one says of `email_verified` may be about another address. */
function emailOf(sources: readonly Claims[]): Pick<Person, 'email' | 'email_verified'> {
  const source = sources.find((claims) => (textOf(claims, 'email') ?? '') !== '') ?? {};
  const email = textOf(source, 'email') ?? '';
  // Some providers write it as text.
  return { email, email_verified: email !== '' && String(source['email_verified']) === 'true' };
}
