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
import { describeWith } from '../../support/sandbox-programs.ts';
import { node, secretsWith } from './driver-under-test.ts';
import {
  answeredWithoutKey,
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

describeWith('bwrap', 'slirp4netns')('access to a language model on the process runtime', () => {
  beforeAll(async () => {
    reports = await takeReports();
    endpoint = await startModelEndpoint('127.0.0.1');
    const host = `127.0.0.1:${endpoint.port}`;
    driver = processDriver({
      privateMcpHosts: new Map([[host, 'http']]),
      modelEndpoints: testEndpoints(`http://${host}`),
    });
    runtime = await driver.open(reports.url);
  });
  afterAll(async () => {
    for (const id of await runtime.list()) {
      await runtime.stop(id);
    }
    driver.remove();
    endpoint.close();
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
