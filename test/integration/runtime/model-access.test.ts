/** An agent without a network that asks a language model, in sandboxes: the real model program, and an endpoint on this machine's loopback. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ProcessWorkloadSpec } from '../../../runtime/process/workload-spec.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { configuration } from '../../support/frozen-configuration.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { node, secretsWith } from './driver-under-test.ts';
import { type ProcessDriver, processDriver } from './process-driver.ts';
import { type Reports, takeReports } from './reports.ts';

const modelKey = 'sk-test-4711-of-the-model-alone';
const modelAccess = {
  api_key: { kind: 'secret' as const, secret_name: 'MODEL_KEY', secret_version: 1 },
  models: ['test-model'],
  requests_per_session: 10,
  tokens_per_session: 10_000,
};

let reports: Reports;
let endpoint: Server;
let driver: ProcessDriver;
let runtime: Runtime<ProcessWorkloadSpec>;
const asked: { headers: IncomingMessage['headers']; body: unknown }[] = [];

/** Asks by the socket and by the port, then looks for the key and for other ways out. */
const agent = `
const [http, fs, net] = ['http', 'fs', 'net'].map((name) => require('node:' + name));
const body = JSON.stringify({ model: 'test-model', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] });
const ask = (options) => new Promise((resolve) => http.request({ path: '/v1/messages', method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': process.env.ANTHROPIC_API_KEY }, ...options },
  async (response) => resolve({ status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() }))
  .on('error', ({ code }) => resolve({ status: 0, text: code })).end(body));
const { hostname, port } = new URL(process.env.ANTHROPIC_BASE_URL);
const read = (path) => { try { return fs.readFileSync(path, 'latin1'); } catch { return ''; } };
const main = async () => {
  const bySocket = await ask({ socketPath: process.env.ANTHROPIC_UNIX_SOCKET });
  const byPort = await ask({ hostname, port });
  const elsewhere = await ask({ socketPath: process.env.ANTHROPIC_UNIX_SOCKET, path: '/v1/files' });
  const around = fs.readdirSync('/proc').filter((name) => Number(name) > 0)
    .flatMap((pid) => ['cmdline', 'environ'].map((name) => read('/proc/' + pid + '/' + name))).join(' ');
  console.log('TOLD ' + JSON.stringify({ bySocket, byPort, elsewhere: elsewhere.status, around,
    key: process.env.ANTHROPIC_API_KEY, run: fs.readdirSync('/run', { recursive: true }).sort(),
    direct: (await ask({ hostname: '10.0.2.2', port: ENDPOINT })).status }));
};
void main();
setInterval(() => {}, 1000);
`;

async function start(network: 'none' | 'internet'): Promise<string> {
  const session_id = randomUUID();
  const { port } = endpoint.address() as AddressInfo;
  const frozen = configuration({
    session_id,
    agent: { ...node(agent.replace('ENDPOINT', String(port))), network, model_access: modelAccess },
  });
  await runtime.start(runtime.render(frozen), secretsWith(session_id, { modelKey }));
  return session_id;
}

const told = (sessionId: string) =>
  eventually(async () => {
    const log = await runtime.logs(sessionId, 'agent', 100_000);
    const line = log.split('\n').find((each) => each.startsWith('TOLD '));
    expect({ line, log }).toMatchObject({ line: expect.any(String) });
    return JSON.parse(line?.slice(5) ?? 'null');
  });

describeWith('bwrap', 'slirp4netns')('access to a language model on the process runtime', () => {
  beforeAll(async () => {
    reports = await takeReports();
    endpoint = createServer(async (request, response) => {
      asked.push({
        headers: request.headers,
        body: JSON.parse(Buffer.concat(await request.toArray()).toString()),
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          type: 'message',
          content: [{ type: 'text', text: `you sent ${request.headers['x-api-key']}` }],
          usage: { input_tokens: 3, output_tokens: 4 },
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const host = `127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
    driver = processDriver({
      privateMcpHosts: new Map([[host, 'http']]),
      modelBaseUrl: `http://${host}`,
    });
    runtime = await driver.open(reports.url);
  });
  afterAll(async () => {
    for (const id of await runtime.list()) {
      await runtime.stop(id);
    }
    driver.remove();
    endpoint.closeAllConnections();
    endpoint.close();
    await reports.close();
  });

  it.each(['none', 'internet'] as const)(
    'answers an agent with the network "%s", which finds neither the key nor another way',
    async (network) => {
      asked.length = 0;
      const id = await start(network);
      const { around, ...seen } = await told(id);
      const answer = { status: 200, text: expect.stringContaining('you sent [secret]') };
      expect(seen).toEqual({
        bySocket: answer,
        byPort: answer,
        elsewhere: 404,
        key: 'none',
        direct: 0,
        run: [
          'platform',
          'platform/agent',
          'platform/agent/config.json',
          'platform/agent/model.sock',
          'platform/agent/sidecar.sock',
          'platform/mcp',
          'platform/mcp/platform.sock',
        ],
      });
      expect(around).not.toContain(modelKey);
      expect(asked).toHaveLength(2);
      expect(asked[0]).toMatchObject({ headers: { 'x-api-key': modelKey }, body: { max_tokens: 10 } });
      expect(reports.of(id, 'model-requests')).toMatchObject([
        { token: `token-of-${id}`, body: { max_tokens: 10 } },
        { body: { max_tokens: 10 } },
      ]);
      await eventually(() => expect(reports.of(id, 'model-requests/usage')).toHaveLength(2));
      expect(reports.of(id, 'model-requests/usage')[0]?.body).toMatchObject({
        input_tokens: 3,
        output_tokens: 4,
        outcome: 'completed',
      });
      for (const container of ['sidecar', 'agent', 'model', 'host']) {
        expect(await runtime.logs(id, container, 1_000_000)).not.toContain(modelKey);
      }
      await runtime.stop(id);
      expect(await driver.running(id)).toEqual([]);
    },
  );

  it('answers where the relay is the one for Node', async () => {
    const programsDirectory = mkdtempSync(join(tmpdir(), 'dist-'));
    cpSync('dist', programsDirectory, { recursive: true });
    rmSync(join(programsDirectory, 'relay'));
    const host = `127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
    const withoutStatic = processDriver({
      programsDirectory,
      privateMcpHosts: new Map([[host, 'http']]),
      modelBaseUrl: `http://${host}`,
    });
    const usual = runtime;
    runtime = await withoutStatic.open(reports.url);
    try {
      const id = await start('none');
      expect(await told(id)).toMatchObject({ bySocket: { status: 200 }, byPort: { status: 200 } });
      await runtime.stop(id);
    } finally {
      runtime = usual;
      withoutStatic.remove();
      rmSync(programsDirectory, { recursive: true });
    }
  });

  it('ends with the agent’s exit code, as without it', async () => {
    const session_id = randomUUID();
    const frozen = configuration({
      session_id,
      agent: { ...node('process.exit(7)'), model_access: modelAccess },
    });
    await runtime.start(runtime.render(frozen), secretsWith(session_id, { modelKey }));
    await eventually(async () => {
      const state = await runtime.inspect(session_id);
      expect(state).toMatchObject({
        containers: expect.arrayContaining([
          { name: 'agent', state: 'exited', exitCode: 7, signal: null },
          { name: 'model', state: 'running' },
        ]),
      });
    });
    await runtime.stop(session_id);
  });
});

it('is refused without a sandbox, in words for the operator', async () => {
  const bare = processDriver({ sandbox: 'off', allowUnsandboxed: true });
  const open = await bare.open('http://127.0.0.1:9');
  expect(() => open.render(configuration({ agent: { ...node(''), model_access: modelAccess } }))).toThrow(
    'access to a language model needs a sandbox',
  );
  bare.remove();
});
