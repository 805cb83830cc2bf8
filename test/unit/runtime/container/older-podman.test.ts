/**
 * Podman before 4 has only CNI, and may reject the path under which version 4 reports that: the worker's
 * reason is still readable.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pino from 'pino';
import { createContainerRuntime } from '../../../../runtime/container/driver.ts';
import { testContainerSettings } from '../../../support/container-settings.ts';

let directory: string;
let server: Server;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'podman-'));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

/** Opens a worker on a Podman that answers version 4 requests with this. */
async function openOn(status: number, body: object) {
  const socketPath = join(directory, 'podman.sock');
  const answers: Record<string, [number, object]> = {
    '/_ping': [200, {}],
    '/version': [200, { Components: [{ Name: 'Podman Engine' }] }],
    '/v4.0.0/libpod/info': [status, body],
  };
  server = createServer((request, response) => {
    const [code, content] = answers[request.url ?? ''] ?? [404, { message: 'not asked for here' }];
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  }).listen(socketPath);
  await once(server, 'listening');
  const image = 'localhost/none:1';
  return createContainerRuntime({
    socketPath,
    engine: {
      installation: 'older-podman',
      platformNetwork: 'platform',
      internetNetwork: 'internet',
      dnsServers: ['192.0.2.53'],
      temporaryBytes: 1024 * 1024,
    },
    workload: testContainerSettings({
      apiUrl: 'http://192.0.2.1:1',
      networks: 'own',
      images: { sidecar: image, scripted: image, runner: image, claude: null },
    }),
    takeLeftCalls: async () => undefined,
    logger: pino({ level: 'silent' }),
  });
}

it.each([
  ['refuses the version', 400, { message: 'version 4.0.0 is not supported' }],
  ['has no such path', 404, { message: 'Not Found' }],
  ['does not name its network', 200, { host: {} }],
])('one that %s is refused as one that uses CNI', async (_what, status, body) => {
  await expect(openOn(status, body)).rejects.toThrow(
    /^DOCKER_HOST: the Podman on \S+ uses CNI, .*Podman 4 or later, .*netavark and aardvark-dns/,
  );
});

it('one that fails for another reason is not reported as using CNI', async () => {
  await expect(openOn(500, { message: 'the storage is locked' })).rejects.toThrow('the storage is locked');
});

it('one that uses netavark is accepted', async () => {
  await expect(openOn(200, { host: { networkBackend: 'netavark' } })).resolves.toMatchObject({
    name: 'container',
  });
});
