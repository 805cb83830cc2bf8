import type { AuthorizationServer } from '../../../../lib/oauth/metadata.ts';

/** One that takes every kind of client. */
export const authorizationServer = (changed: Partial<AuthorizationServer> = {}): AuthorizationServer => ({
  issuer: 'https://issuer.test',
  authorizationEndpoint: 'https://issuer.test/authorize',
  tokenEndpoint: 'https://issuer.test/token',
  registrationEndpoint: 'https://issuer.test/register',
  revocationEndpoint: null,
  tokenAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
  revocationAuthMethods: [],
  refreshesTokens: true,
  scopes: null,
  takesClientMetadataUrls: true,
  sendsIssuer: true,
  ...changed,
});
