/** How the platform finds its identity provider, before anybody signs in there (oidc.test.ts). */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, jest } from '@jest/globals';
import { createOidcProvider } from '../../../api/auth/oidc.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(answer?: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** A provider whose issuer is what `named` makes of its address. */
async function startProvider(named: (url: string) => string) {
  const state = { asked: 0, isDown: false };
  const { url } = await listen((_request, response) => {
    state.asked += 1;
    const document = {
      issuer: named(url),
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
    };
    response.writeHead(state.isDown ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document));
  });
  return { url, state };
}

const providerAt = (issuer: string, more: { HTTPS_PROXY?: string; NO_PROXY?: string[] } = {}) =>
  createOidcProvider({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'platform',
    PUBLIC_URL: 'http://localhost:4999',
    NO_PROXY: [],
    OIDC_GROUPS_CLAIM: 'groups',
    ...more,
  });

it('reads again what the provider says of itself, and holds on to it while that does not answer', async () => {
  const { url, state } = await startProvider((own) => own);
  const provider = providerAt(url);
  const now = jest.spyOn(Date, 'now');
  const later = () => now.mockReturnValue(Date.now() + 11 * 60_000);
  await provider?.begin('/');
  await provider?.begin('/');
  expect(state.asked).toBe(1);
  later();
  await provider?.begin('/');
  expect(state.asked).toBe(2);
  state.isDown = true;
  later();
  expect((await provider?.begin('/'))?.url).toContain(`${url}/authorize?`);
  expect(state.asked).toBe(3);
  now.mockRestore();
});

it('asks again at the next sign-in where the provider did not answer the first time', async () => {
  const { url, state } = await startProvider((own) => own);
  const provider = providerAt(url);
  state.isDown = true;
  await expect(provider?.begin('/')).rejects.toThrow('The identity provider does not answer');
  state.isDown = false;
  expect((await provider?.begin('/'))?.url).toContain(`${url}/authorize?`);
});

it.each([
  ['/realms/company', '/realms/company/'],
  ['/realms/company/', '/realms/company'],
])('works where OIDC_ISSUER ends in %s and the provider calls itself %s', async (path, own) => {
  const { url } = await startProvider((address) => address + own);
  expect((await providerAt(url + path)?.begin('/'))?.url).toContain(`${url}/authorize?`);
});

it('says that OIDC_ISSUER is wrong where the provider goes by another name', async () => {
  const { url } = await startProvider(() => 'https://other.example');
  await expect(providerAt(url)?.begin('/')).rejects.toThrow('goes by another name than OIDC_ISSUER');
});

it('reaches the provider through the proxy of the operator, but for hosts that need none', async () => {
  const tunnels: string[] = [];
  const { url, server } = await listen();
  server.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const through = (issuer: string) => providerAt(issuer, { HTTPS_PROXY: url, NO_PROXY: ['login.invalid'] });
  await expect(through('https://login.example')?.begin('/')).rejects.toThrow('does not answer');
  expect(tunnels).toEqual(['login.example:443']);
  await expect(through('https://login.invalid')?.begin('/')).rejects.toThrow('does not answer');
  expect(tunnels).toEqual(['login.example:443']);
});
