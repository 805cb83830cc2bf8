/**
 * An agent without a network that asks a language model, in sandboxes: the real model program, and an
 * endpoint on this machine's loopback.
 */

import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Runtime } from '../../../runtime/workload.ts';
import type { WorkloadPlan } from '../../../runtime/workload-plan/workload-plan.ts';
import { eventually } from '../../support/eventually.ts';
import { configuration } from '../../support/frozen-configuration.ts';
import { testEndpoints } from '../../support/model-endpoints.ts';
import { type ModelStub, startModelStub } from '../../support/model-stub/start-model-stub.ts';
import { call, cutTurn, rateLimited, say, turn } from '../../support/model-stub/turns.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { chatCase, responsesCase } from '../relay/model/openai-dialects.ts';
import { node, secretsWith } from './driver-under-test.ts';
import {
  answeredWithoutKey,
  asksByOpenai,
  asksModel,
  type ModelEndpoint,
  modelAccess,
  modelKey,
  startModelEndpoint,
  toldByAgent,
  viewOfAgent,
} from './model-endpoint.ts';
import { type ProcessDriver, processDriver } from './process-driver.ts';
import { type Reports, takeReports } from './reports.ts';

let reports: Reports;
let endpoint: ModelEndpoint;
let stub: ModelStub;
let driver: ProcessDriver;
let runtime: Runtime<WorkloadPlan>;

async function start(network: 'none' | 'internet'): Promise<string> {
  const session_id = randomUUID();
  // Where a sandbox would find this machine's loopback.
  const agent = asksModel('10.0.2.2', endpoint.port);
  const frozen = configuration({
    session_id,
    agent: { ...node(agent), network, model_access: modelAccess },
  });
  await runtime.start(runtime.render(frozen), secretsWith(session_id, { modelKey }));
  return session_id;
}

const told = (sessionId: string) => toldByAgent(() => runtime.logs(sessionId, 'agent', 100_000));

const nameOf = (dialect: string) => dialect.replace('_', '-');

describeWith('bwrap', 'slirp4netns')('access to a language model on the process runtime', () => {
  beforeAll(async () => {
    reports = await takeReports();
    endpoint = await startModelEndpoint('127.0.0.1');
    const calls = () => turn(...['one', 'two'].map((path) => call('files.read_file', { path })));
    const answers = () => [calls(), turn(say('done')), rateLimited, cutTurn(say('half of it'))];
    stub = await startModelStub([...answers(), ...answers()], 0);
    const hosts = [endpoint, stub].map(({ port }) => `127.0.0.1:${port}`);
    const others = [chatCase, responsesCase].map(({ dialect }) => ({
      ...{ name: nameOf(dialect), dialect, default_max_tokens: 500 },
      base_url: `http://127.0.0.1:${stub.port}/v1`,
    }));
    driver = processDriver({
      privateMcpHosts: new Map(hosts.map((host) => [host, 'http'])),
      modelEndpoints: testEndpoints(`http://${hosts[0]}`, ...others),
    });
    runtime = await driver.open(reports.url);
  });
  afterAll(async () => {
    for (const id of await runtime.list()) {
      await runtime.stop(id);
    }
    driver.remove();
    endpoint.close();
    await stub.close();
    await reports.close();
  });

  it.each(['none', 'internet'] as const)(
    'answers an agent with the network "%s", which finds neither the key nor another way',
    async (network) => {
      const { asked } = endpoint;
      asked.length = 0;
      const id = await start(network);
      const { around, ...seen } = await told(id);
      expect(seen).toEqual({
        bySocket: answeredWithoutKey,
        byPort: answeredWithoutKey,
        elsewhere: 404,
        key: 'none',
        direct: 0,
        run: viewOfAgent,
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

  it.each([chatCase, responsesCase])(
    'speaks $dialect: streams, parallel calls, errors and streams that are cut',
    async (each) => {
      const session_id = randomUUID();
      const { dialect, below, question } = each;
      const model_access = { ...modelAccess, endpoint: nameOf(dialect), dialect };
      const inner = { name: 'read_file', parameters: {} };
      const tools =
        each === chatCase
          ? [{ type: 'function', function: { ...inner, name: 'mcp__files__read_file' } }]
          : [{ type: 'namespace', name: 'mcp__files', tools: [{ type: 'function', ...inner }] }];
      const agent = node(asksByOpenai(below, { ...question, tools }));
      const frozen = configuration({ session_id, agent: { ...agent, network: 'none', model_access } });
      await runtime.start(runtime.render(frozen), secretsWith(session_id, { modelKey }));
      const [calls, whole, error, cut] = await told(session_id);
      expect([calls, whole, error, cut].map(({ status }) => status)).toEqual([200, 200, 429, 200]);
      expect(each.isWhole(calls.text)).toBe(true);
      expect([0, 1].map((at) => each.called(calls.text, at))).toEqual(['{"path":"one"}', '{"path":"two"}']);
      expect(whole.text).toContain('"done"');
      expect(JSON.parse(error.text).error).toMatchObject({
        message: 'Too many requests',
        code: 'rate_limit_exceeded',
      });
      expect(each.joined(cut.text)).toBe('half ');
      expect(each.errorIn(cut.text)).toContain('The model gave no answer');
      const sent = stub.requests.slice(-4);
      expect(sent.map((request) => request.stream)).toEqual([true, undefined, true, true]);
      expect(sent[0]?.tools?.map(({ name }) => name)).toEqual(['mcp__files__read_file']);
      expect(stub.headers.at(-1)).toMatchObject({ authorization: `Bearer ${modelKey}` });
      await eventually(() => expect(reports.of(session_id, 'model-requests/usage')).toHaveLength(4));
      expect(reports.of(session_id, 'model-requests').map(({ body }) => body)).toEqual(
        Array.from({ length: 4 }, () => ({ max_tokens: 500 })),
      );
      expect(reports.of(session_id, 'model-requests/usage')[0]?.body).toMatchObject({
        ...{ input_tokens: 25, output_tokens: 12, outcome: 'completed' },
      });
      await runtime.stop(session_id);
    },
  );

  it('answers where the relay is the one for Node', async () => {
    const programsDirectory = mkdtempSync(join(tmpdir(), 'dist-'));
    cpSync('dist', programsDirectory, { recursive: true });
    rmSync(join(programsDirectory, 'relay'));
    const host = `127.0.0.1:${endpoint.port}`;
    const withoutStatic = processDriver({
      programsDirectory,
      privateMcpHosts: new Map([[host, 'http']]),
      modelEndpoints: testEndpoints(`http://${host}`),
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
