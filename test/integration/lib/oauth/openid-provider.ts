/** A real authorization server with dynamic registration, over TLS. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { makeCertificate } from '../../../support/certificate.ts';

export interface OpenIdProvider {
  issuer: string;
  host: string;
  certificate: string;
  /** Whether it knows a client. */
  knows(clientId: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1; `path` is the path of its issuer. */
export async function startOpenIdProvider(path = ''): Promise<OpenIdProvider> {
  // It warns about what it leaves to its users, such as storage; nothing here is persistent.
  jest.spyOn(console, 'warn').mockImplementation(() => {});
  jest.spyOn(console, 'info').mockImplementation(() => {});
  const { default: Provider } = await import('oidc-provider');
  const { key, certificate } = makeCertificate('127.0.0.1');
  const server: Server = createServer({ key, cert: certificate });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `https://${host}${path}`;
  const provider = new Provider(issuer, {
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', 'notes.read'],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      registrationManagement: { enabled: true },
    },
    cookies: { keys: ['test'] },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    // As frameworks mount it below its path: it answers at the last of the well-known addresses then.
    if (request.url?.startsWith(`${path}/`)) {
      Object.assign(request, { originalUrl: request.url, url: request.url.slice(path.length) });
    }
    answer(request, response);
  });
  return {
    issuer,
    host,
    certificate,
    knows: async (clientId) => (await provider.Client.find(clientId)) !== undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
