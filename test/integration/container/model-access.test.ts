/**
 * An agent that asks a language model, in containers: the real model program in a container of its own, and
 * an endpoint on this machine.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import { node } from '../runtime/driver-under-test.ts';
import {
  answeredWithoutKey,
  asksModel,
  endpointAt,
  type ModelEndpoint,
  modelAccess,
  modelKey,
  startModelEndpoint,
  toldByAgent,
  viewInContainer,
} from '../runtime/model-endpoint.ts';
import { type Reports, takeReports } from '../runtime/reports.ts';
import { containerDriver } from './container-driver.ts';
import { createSessions, internetGateway } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

describeInContainers('access to a language model in containers', () => {
  const driver = containerDriver();
  let reports: Reports;
  let endpoint: ModelEndpoint;
  let gateway: string;
  let runtime: Runtime<SessionPlan>;
  const sessions = createSessions(() => runtime);

  beforeAll(async () => {
    await driver.begin();
    reports = await takeReports(await driver.hostAddress());
    endpoint = await startModelEndpoint('0.0.0.0');
    runtime = await driver.open(reports.url);
    gateway = await internetGateway(driver, sessions);
    const host = `${gateway}:${endpoint.port}`;
    runtime = await driver.openWith(reports.url, {
      workload: endpointAt(host),
    });
  });
  afterAll(async () => {
    await sessions.stopAll();
    endpoint.close();
    await reports.close();
    await driver.end();
  });

  it.each(['none', 'internet'] as const)(
    'answers an agent with the network "%s", which finds neither the key nor another way',
    async (network) => {
      endpoint.asked.length = 0;
      const agent = { ...node(asksModel(gateway, endpoint.port)), network, model_access: modelAccess };
      const id = await sessions.start(sessions.prepare({ agent }), { modelKey });
      const { around, ...seen } = await toldByAgent(() => runtime.logs(id, 'agent', 100_000));
      expect(seen).toEqual({
        bySocket: answeredWithoutKey,
        byPort: answeredWithoutKey,
        elsewhere: 404,
        key: 'none',
        direct: 0,
        run: viewInContainer,
      });
      expect(around).not.toContain(modelKey);
      expect(endpoint.asked).toHaveLength(2);
      expect(endpoint.asked[0]?.headers).toMatchObject({ 'x-api-key': modelKey });
      expect(reports.of(id, 'model-requests')).toHaveLength(2);
      for (const container of ['sidecar', 'agent', 'model']) {
        expect(await runtime.logs(id, container, 1_000_000)).not.toContain(modelKey);
      }
      await runtime.stop(id);
      expect(await driver.running(id)).toEqual([]);
    },
  );
});
