/**
 * A company's identity provider: a real OpenID Connect provider over TLS, with a certificate of
 * an authority of its own.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type Provider from 'oidc-provider';
import type { Request } from '../../bin/start/provider-sign-in.ts';
import { makeCertificate } from './certificate.ts';
import { quietConsole } from './quiet-console.ts';

export interface IdentityProvider {
  issuer: string;
  clientId: string;
  /** PEM, for clients that must trust it. */
  certificate: string;
  /** A browser that trusts it. */
  request: Request;
  stop(): Promise<void>;
}

const clientId = 'platform';

/**
 * Listens on `address`. Posting `person=<name>` to its page signs in as that person, whose e-mail address
 * is `<name>@company.test`.
 */
export async function startIdentityProvider(address: string, publicUrl: string): Promise<IdentityProvider> {
  const { key, certificate } = makeCertificate(address);
  const server = createServer({ key, cert: certificate });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const issuer = `https://${address}:${(server.address() as AddressInfo).port}`;
  const warnAgain = quietConsole();
  const provider = await createProvider(issuer, publicUrl);
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      interact(provider, request, response).catch(() => response.writeHead(400).end());
    } else {
      answer(request, response);
    }
  });
  return {
    issuer,
    clientId,
    certificate,
    request: (url, init) =>
      url.startsWith('https:') ? requestTrusting(certificate, url, init) : fetch(url, init),
    stop: () =>
      new Promise((resolve) => {
        warnAgain();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function createProvider(issuer: string, publicUrl: string): Promise<Provider> {
  const { default: Provider } = await import('oidc-provider');
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${publicUrl}/api/auth/callback`],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['test'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@company.test`, email_verified: true, name: `Name of ${id}` }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId,
        ...(oidc.session?.accountId === undefined ? {} : { accountId: oidc.session.accountId }),
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await provider.interactionDetails(request, response);
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<form method="post"><input name="person">');
    return;
  }
  const person = new URLSearchParams(await text(request)).get('person') ?? '';
  await provider.interactionFinished(request, response, { login: { accountId: person, remember: false } });
}

/** `fetch` accepts no custom certificate authority. */
function requestTrusting(certificate: string, url: string, init: RequestInit): Promise<Response> {
  const body = init.body instanceof URLSearchParams ? init.body.toString() : undefined;
  const headers = {
    ...Object.fromEntries(new Headers(init.headers)),
    ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  return new Promise((resolve, reject) => {
    const options = { method: init.method ?? 'GET', headers, ca: certificate, agent: false };
    const sent = httpsRequest(url, options, (answer) => {
      const received = new Headers();
      for (const [name, values] of Object.entries(answer.headersDistinct)) {
        for (const value of values ?? []) {
          received.append(name, value);
        }
      }
      text(answer).then(
        (content) =>
          resolve(new Response(content || null, { status: answer.statusCode ?? 500, headers: received })),
        reject,
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
