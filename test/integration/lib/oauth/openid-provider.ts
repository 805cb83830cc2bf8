/**
 * A real authorization server over TLS, with dynamic registration, resource indicators, rotation of
 * refresh tokens, and revocation.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type Provider from 'oidc-provider';
import { makeCertificate } from '../../../support/certificate.ts';
import { quietConsole } from '../../../support/quiet-console.ts';

export interface OpenIdProvider {
  issuer: string;
  host: string;
  certificate: string;
  /** What the person on its page does; she is always `ada`, and allows by default. */
  decide(decision: 'allow' | 'deny'): void;
  /** Whether it knows a client. */
  knows(clientId: string): Promise<boolean>;
  /** Whose access token it is, for what; null for one that is not good, or no more. */
  holderOf(accessToken: string): Promise<{ person: string; resource: unknown; scope: string } | null>;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1; `path` is the path of its issuer. It gives tokens for `resource` alone, or for any.
 */
export async function startOpenIdProvider(path = '', resource?: string): Promise<OpenIdProvider> {
  const warnAgain = quietConsole();
  const { key, certificate } = makeCertificate('127.0.0.1');
  const server: Server = createServer({ key, cert: certificate });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `https://${host}${path}`;
  const provider = await createProvider(issuer, resource);
  const answer = provider.callback();
  let decision: 'allow' | 'deny' = 'allow';
  server.on('request', (request, response) => {
    // As frameworks mount it below its path: it answers at the last of the well-known addresses then.
    if (request.url?.startsWith(`${path}/`)) {
      Object.assign(request, { originalUrl: request.url, url: request.url.slice(path.length) });
    }
    if (request.url?.startsWith('/interaction/')) {
      interact(provider, decision, request, response).catch(() => response.writeHead(500).end());
    } else {
      answer(request, response);
    }
  });
  return {
    issuer,
    host,
    certificate,
    decide: (decided) => {
      decision = decided;
    },
    knows: async (clientId) => (await provider.Client.find(clientId)) !== undefined,
    holderOf: async (accessToken) => {
      const found = await provider.AccessToken.find(accessToken);
      return found === undefined
        ? null
        : { person: found.accountId, resource: found.aud, scope: found.scope ?? '' };
    },
    close: () =>
      new Promise((resolve) => {
        warnAgain();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function createProvider(issuer: string, resource: string | undefined): Promise<Provider> {
  const { default: Provider, errors } = await import('oidc-provider');
  return new Provider(issuer, {
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', 'notes.read'],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      registrationManagement: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, named) => {
          if (resource !== undefined && named !== resource) {
            throw new errors.InvalidTarget();
          }
          return { scope: 'notes.read notes.write', audience: named, accessTokenFormat: 'opaque' };
        },
      },
    },
    rotateRefreshToken: true,
    interactions: {
      url: (_context, { uid }) => `${new URL(issuer).pathname.replace(/\/$/, '')}/interaction/${uid}`,
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['test'] },
  });
}

/** The person signs in as `ada`, and then allows all that is asked for, or denies it. */
async function interact(
  provider: Provider,
  decision: 'allow' | 'deny',
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (decision === 'deny') {
    const denied = { error: 'access_denied', error_description: 'End-User aborted interaction' };
    return provider.interactionFinished(request, response, denied);
  }
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }
  const grant = new provider.Grant({
    clientId: String(params['client_id']),
    ...(session === undefined ? {} : { accountId: session.accountId }),
  });
  grant.addOIDCScope(String(params['scope'] ?? ''));
  grant.addResourceScope(String(params['resource']), String(params['scope'] ?? ''));
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}
