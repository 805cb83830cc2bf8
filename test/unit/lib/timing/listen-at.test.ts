import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { beginExchange } from '../../../../api/previews/proxy-exchange.ts';
import { listen } from '../../../../api/server.ts';
import { serveHealth } from '../../../../bin/worker/health.ts';
import { everyAddress, listenAt } from '../../../../lib/timing/listen-at.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);
const loopback = ['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])];
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

describe('every address', () => {
  it('is one of both families, for the API and the health of a worker, too', async () => {
    const app = new Koa();
    const api = await listen(app, { host: everyAddress, port: 0 });
    const health = await serveHealth({ host: everyAddress, port: 0, isReady: async () => true });
    closing.push(() => api.close(0), health.close);
    for (const host of loopback) {
      expect(await isOpen(host, api.port)).toBe(true);
      expect(await isOpen(host, health.port)).toBe(true);
    }
  });

  it('is no other than the one that was said', async () => {
    const server = createServer();
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    listenAt(server, { host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const { port, address } = server.address() as AddressInfo;
    expect(address).toBe('127.0.0.1');
    expect(await isOpen('127.0.0.1', port)).toBe(true);
    expect(hasIpv6 && (await isOpen('::1', port))).toBe(false);
  });

  it('says that its port is taken', async () => {
    const first = createServer();
    closing.push(() => new Promise((resolve) => first.close(resolve)));
    listenAt(first, { host: everyAddress, port: 0 });
    await once(first, 'listening');
    const { port } = first.address() as AddressInfo;
    await expect(listen(new Koa(), { host: everyAddress, port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

(hasIpv6 ? describe : describe.skip)('the gateway of a service', () => {
  it('is asked at an IPv6 address', async () => {
    const gateway = createHttp((_request, response) => response.end('from the service'));
    listenAt(gateway, { host: '::1', port: 0 });
    await once(gateway, 'listening');
    const { port } = gateway.address() as AddressInfo;
    const front = createHttp((request, response) => {
      const at = { previewId: '00000000-0000-4000-8000-000000000001', address: `http://[::1]:${port}` };
      const options = { seed: Buffer.alloc(32), headers: {}, maxBodyBytes: 100, isWebSocket: false };
      void beginExchange({ request, response }, at, options).first.then((first) => response.end(first.type));
    });
    listenAt(front, { host: '127.0.0.1', port: 0 });
    await once(front, 'listening');
    for (const server of [gateway, front]) {
      closing.push(
        () =>
          new Promise((resolve) => {
            server.close(resolve);
            server.closeAllConnections();
          }),
      );
    }
    const answer = await fetch(`http://127.0.0.1:${(front.address() as AddressInfo).port}/`);
    expect(await answer.text()).toBe('answer');
  });
});
