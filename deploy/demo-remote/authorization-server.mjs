import Provider, { errors } from 'oidc-provider';

export const readScope = 'tickets:read';
export const writeScope = 'tickets:write';

const dayS = 24 * 60 * 60;

/**
 * Signs people in for one remote server, `resource`: clients register themselves (RFC 7591, deleted by
 * RFC 7592), PKCE is needed, and access tokens are JWTs for that server alone. They end after minutes, so
 * that a demo shows how they are refreshed. `issuer` is the origin that it is reached at, `openModel`
 * what `openStore` returns.
 */
export function createAuthorizationServer({ issuer, resource, people, keys, openModel }) {
  return new Provider(issuer, {
    adapter: openModel,
    jwks: keys.jwks,
    cookies: { keys: [keys.cookieKey] },
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', readScope, writeScope],
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      registration: { enabled: true },
      registrationManagement: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: resourceIndicators(resource),
    },
    rotateRefreshToken: true,
    // No session is kept (store.mjs), so that nothing can depend on one.
    expiresWithSession: () => false,
    interactions: { url: (_context, { uid }) => `/consent/${uid}` },
    ttl: {
      AccessToken: accessTokenS,
      AuthorizationCode: 60,
      Grant: 30 * dayS,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 14 * dayS,
      Session: 600,
    },
    findAccount: (_context, id) =>
      Object.hasOwn(people, id) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
  });
}

const accessTokenS = 300;

const resourceIndicators = (resource) => ({
  enabled: true,
  // Clients that name none mean the only one.
  defaultResource: () => resource,
  useGrantedResource: () => true,
  getResourceServerInfo(_context, named) {
    if (named !== resource) {
      throw new errors.InvalidTarget();
    }
    return {
      scope: `${readScope} ${writeScope}`,
      audience: resource,
      accessTokenFormat: 'jwt',
      accessTokenTTL: accessTokenS,
      jwt: { sign: { alg: 'RS256' } },
    };
  },
});
