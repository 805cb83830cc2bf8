/**
 * How every driver runs the service of a preview: behind its gateway, alone, and reached
 * by signed requests only.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it } from '@jest/globals';
import { signServiceRequest } from '../../../contract/service-signature.ts';
import { readyReport } from '../../../contract/sidecar.ts';
import { UnsupportedWorkloadError } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { type ContractSessions, containerIn, node, secretVariable } from './driver-under-test.ts';

/** Tells what it is asked for: its variables, what it sees, and whether it reaches an address. */
const tells = `
const http = require('node:http');
const fs = require('node:fs');
const answers = {
  '/env': () => ({ ...process.env, SECRET: [...(process.env.SECRET ?? '')].reverse().join('') }),
  '/sees': () => fs.readdirSync('/run/platform', { recursive: true }).map(String).filter((name) => name.includes('.')),
  '/reach': (url) => new Promise((resolve) => {
    const target = new URL(url.searchParams.get('url'));
    require('node:net').connect({ host: target.hostname, port: Number(target.port), timeout: 3000 })
      .on('connect', () => resolve('reached')).on('timeout', () => resolve('silent')).on('error', ({ code }) => resolve(code));
  }),
  '/exit': () => process.exit(7),
};
const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, 'http://service');
  response.end(JSON.stringify((await answers[url.pathname]?.(url)) ?? null));
});
server.on('upgrade', (request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n');
  socket.pipe(socket);
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening with ' + process.env.SECRET));`;

const port = 8080;

export function describeServices<Spec>(sessions: ContractSessions<Spec>): void {
  const { driver, runtime, reports, prepare, start, logged } = sessions;
  const service = (changes: Parameters<typeof prepare>[0] = {}) =>
    prepare({ service: { port }, agent: { ...node(tells), ...changes?.agent } });

  if (!driver.isolates) {
    it('refuses a service, which would share the network of others', () => {
      expect(() => runtime().render(service())).toThrow(UnsupportedWorkloadError);
      expect(() => runtime().render(service())).toThrow(/^services need a sandbox/);
    });
    return;
  }

  const controlUrl = (id: string): Promise<string> =>
    eventually(() => {
      const [report] = reports().of(id, 'ready');
      return readyReport.parse(report?.body).control_url;
    });
  const open = async (id: string, target: string, headers: Record<string, string> = {}) => {
    const key = `key-of-${id}`;
    const signature = signServiceRequest(key, { method: 'GET', target, atMs: Date.now() });
    const url = new URL(target, await controlUrl(id));
    return request(url, { agent: false, headers: { ...headers, 'x-service-request': signature } }).end();
  };
  const ask = async (id: string, target: string): Promise<{ status: number; body: string }> => {
    const [answer] = await once(await open(id, target), 'response');
    return { status: answer.statusCode, body: Buffer.concat(await answer.toArray()).toString() };
  };
  const told = (id: string, target: string): Promise<unknown> =>
    eventually(async () => {
      const { status, body } = await ask(id, target);
      expect(status).toBe(200);
      return JSON.parse(body);
    });

  it('runs services on the same port beside each other, each behind its own gateway', async () => {
    const values = [randomUUID(), randomUUID()];
    const ids = await Promise.all(
      values.map((SECRET) =>
        start(service({ agent: { env: secretVariable('SECRET') } }), { agentEnv: { SECRET } }),
      ),
    );
    for (const [index, id] of ids.entries()) {
      const secret = values[index] ?? '';
      const env = await told(id, '/env');
      expect(env).toMatchObject({ PORT: String(port), SECRET: [...secret].reverse().join('') });
      expect(Object.keys(env as object).filter((name) => name.startsWith('PLATFORM_'))).toEqual([]);
      expect(new URL(await controlUrl(id)).hostname).toBe(await runtime().sidecarHost(id));
      // Its gateway's socket, and neither a configuration nor an MCP server.
      expect(await told(id, '/sees')).toEqual(['agent/service.sock']);
      expect(await logged(id, 'agent', 'listening with')).not.toContain(secret);
    }
  });

  it('passes a WebSocket through, also to a service with the internet', async () => {
    const id = await start(service({ agent: { network: 'internet' } }));
    await told(id, '/env');
    const sent = await open(id, '/', { connection: 'Upgrade', upgrade: 'websocket' });
    const [, socket] = await once(sent, 'upgrade');
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).toBe('hello');
    socket.destroy();
  });

  it('gives a service without a network none, and nobody a way to it without a signature', async () => {
    const id = await start(service());
    await told(id, '/env');
    for (const url of [reports().url, await controlUrl(id)]) {
      expect(await told(id, `/reach?url=${encodeURIComponent(url)}`)).not.toBe('reached');
    }
    const answer = await fetch(new URL('/env', await controlUrl(id)));
    expect(answer.status).toBe(401);
  });

  it('reports how a service ended, says that it is not there, and leaves nothing behind', async () => {
    const id = await start(service());
    await told(id, '/env');
    await ask(id, '/exit').catch(() => undefined);
    await eventually(async () => {
      const ended = containerIn(await runtime().inspect(id), 'agent');
      expect(ended).toMatchObject({ state: 'exited', exitCode: 7 });
    });
    expect(await ask(id, '/env')).toMatchObject({ status: 503 });
    await runtime().stop(id);
    expect(await driver.running(id)).toEqual([]);
    expect(await runtime().inspect(id)).toEqual({ state: 'absent' });
  });
}
