/**
 * An agent without a network that asks a language model, in a Pod, where it has no port of its own for that.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubernetesRuntime } from '../../../runtime/kubernetes/driver.ts';
import { node, secretsWith } from '../runtime/driver-under-test.ts';
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
import { describeOnKubernetes } from './kubernetes-driver.ts';
import { sessionsOnCluster } from './sessions.ts';

describeOnKubernetes('access to a language model on a cluster', () => {
  const sessions = sessionsOnCluster();
  let endpoint: ModelEndpoint;
  let address: string;
  let runtime: KubernetesRuntime;

  beforeAll(async () => {
    endpoint = await startModelEndpoint('0.0.0.0');
    address = await sessions.driver.hostAddress();
    const host = `${address}:${endpoint.port}`;
    runtime = await sessions.open({
      containers: endpointAt(host),
    });
  });
  afterAll(() => endpoint.close());

  it('answers an agent by its socket, which finds neither the key nor another way', async () => {
    const agent = { ...node(asksModel(address, endpoint.port)), model_access: modelAccess };
    const frozen = sessions.prepare({ agent });
    const id = frozen.session_id;
    await runtime.start(runtime.render(frozen), secretsWith(id, { modelKey }));
    const { around, ...seen } = await toldByAgent(() => runtime.logs(id, 'agent', 100_000));
    expect(seen).toEqual({
      bySocket: answeredWithoutKey,
      byPort: { status: 0, text: expect.any(String) },
      elsewhere: 404,
      key: 'none',
      direct: 0,
      run: viewInContainer,
    });
    expect(around).not.toContain(modelKey);
    expect(endpoint.asked).toHaveLength(1);
    expect(endpoint.asked[0]?.headers).toMatchObject({ 'x-api-key': modelKey });
    for (const container of ['sidecar', 'agent', 'model']) {
      expect(await runtime.logs(id, container, 1_000_000)).not.toContain(modelKey);
    }
    const [pod] = await sessions.driver.admin().listPods(id);
    expect(JSON.stringify(pod)).not.toContain(modelKey);
    await runtime.stop(id);
    expect(await sessions.driver.running(id)).toEqual([]);
  });
});
