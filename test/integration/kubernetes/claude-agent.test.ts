/** The image of the agent `claude` in a Pod. */
import { afterAll, beforeAll, it } from '@jest/globals';
import type { KubernetesRuntime } from '../../../runtime/kubernetes/driver.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { clusterTimeoutMs } from '../../support/kubernetes/test-cluster.ts';
import { importSessionImages } from '../../support/kubernetes/test-settings.ts';
import { type ModelStub, startModelStub } from '../../support/model-stub/start-model-stub.ts';
import { requirePlatformImages } from '../../support/platform-images.ts';
import { expectReport, scriptOfReport, sizes, withClaude } from '../runtime/claude-in-image.ts';
import { endpointAt } from '../runtime/model-endpoint.ts';
import { describeOnKubernetes } from './kubernetes-driver.ts';
import { sessionsOnCluster } from './sessions.ts';

describeOnKubernetes('the agent claude on a cluster', () => {
  const sessions = sessionsOnCluster();
  let model: ModelStub;
  let runtime: KubernetesRuntime;

  beforeAll(async () => {
    const cluster = sessions.driver.cluster();
    const claude = await cluster.importImage(requirePlatformImages().claude);
    const port = await chooseTestPort();
    model = await startModelStub(scriptOfReport(), port, '0.0.0.0');
    const host = `${cluster.hostAddress}:${port}`;
    runtime = await sessions.open({
      containers: {
        images: { ...(await importSessionImages(cluster)), claude },
        sizes,
        ...endpointAt(host),
      },
    });
  }, clusterTimeoutMs);
  afterAll(() => model?.close());

  it('asks the model without a network, calls tools, and ends the session', () =>
    expectReport(runtime, sessions.prepare(withClaude), { model, reports: sessions.reports() }));
});
