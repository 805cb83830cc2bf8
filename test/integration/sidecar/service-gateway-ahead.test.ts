/** Requests to the gateway of a service that are sent ahead of an answer on one connection. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { serviceRequestHeader, signServiceRequest } from '../../../contract/service-signature.ts';
import { openDialedConnections } from '../../../sidecar/dialed-connections/dialed-connections.ts';
import { createGatewayHttp } from '../../../sidecar/service-gateway/gateway-http.ts';

const controlKey = randomBytes(32).toString('base64url');
const limits = { connectMs: 100, answerMs: 1000, stalledMs: 1000 };

/** No service is there, so that each that is let in waits for one. */
async function startGateway() {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-'));
  const connections = await openDialedConnections(join(directory, 'service.sock'));
  const { server, endUpgraded } = createGatewayHttp({ controlKey, connections, limits });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    async send(text: string): Promise<string> {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk.toString();
      });
      socket.on('error', () => undefined).write(text);
      await once(socket, 'close');
      return got;
    },
    async stop() {
      endUpgraded();
      server.closeAllConnections();
      server.close();
      await connections.close();
      await rm(directory, { recursive: true });
    },
  };
}

const signed = (more = '') => {
  const signature = signServiceRequest(controlKey, { method: 'GET', target: '/', atMs: Date.now() });
  return `GET / HTTP/1.1\r\nHost: a\r\n${serviceRequestHeader}: ${signature}\r\n${more}\r\n`;
};

it('end their connection, and lose no place by it', async () => {
  const gateway = await startGateway();
  for (let count = 0; count < 2; count += 1) {
    expect(await gateway.send(signed().repeat(60))).toBe('');
  }
  const upgrade = signed('Connection: Upgrade\r\nUpgrade: websocket\r\n');
  expect(await gateway.send(signed() + upgrade)).toBe('');
  const all = await Promise.all(Array.from({ length: 64 }, () => gateway.send(signed())));
  const codes = all.map((got) => /x-service-failure: (\w+)/.exec(got)?.[1]);
  expect(new Set(codes)).toEqual(new Set(['service_unreachable']));
  await gateway.stop();
});
