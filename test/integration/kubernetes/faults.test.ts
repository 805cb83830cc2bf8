/** Components of the cluster that are killed while sessions start and run. */
import { describe, expect, it } from '@jest/globals';
import type { V1Taint } from '@kubernetes/client-node';
import type { KubernetesRuntime } from '../../../runtime/kubernetes/driver.ts';
import { WorkloadFailedError } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import {
  hasOwnKubernetes,
  type OwnTestCluster,
  startOwnTestCluster,
} from '../../support/kubernetes/test-cluster.ts';
import { platformImages } from '../../support/platform-images.ts';
import { containerIn, node, secretsWith, stays } from '../runtime/driver-under-test.ts';
import { sessionsOnCluster } from './sessions.ts';

const describeOnOwn = hasOwnKubernetes && platformImages !== null ? describe : describe.skip;
const slowMs = 480_000;

describeOnOwn('sessions on a cluster with failing components', () => {
  const own: { cluster?: OwnTestCluster } = {};
  const sessions = sessionsOnCluster(async () => {
    own.cluster = await startOwnTestCluster();
    return own.cluster;
  });
  const cluster = (): OwnTestCluster => {
    if (own.cluster === undefined) {
      throw new Error('the cluster was not started');
    }
    return own.cluster;
  };
  const agentRuns = async (id: string, runtime = sessions.runtime()) =>
    expect(containerIn(await runtime.inspect(id), 'agent')).toMatchObject({ state: 'running' });
  const agentExited = async (id: string, runtime: KubernetesRuntime) =>
    expect(containerIn(await runtime.inspect(id), 'agent')).toMatchObject({ state: 'exited', exitCode: 5 });

  it(
    'continue without the API server, and are neither lost nor missing meanwhile',
    async () => {
      const exitsLater = `setTimeout(() => process.exit(5), 15_000); ${stays}`;
      const id = await sessions.start(sessions.prepare({ agent: node(exitsLater) }));
      await eventually(() => agentRuns(id));
      await cluster().killPart('kube-apiserver');
      await agentRuns(id);
      const later = await sessions.open();
      await expect(later.inspect(id)).rejects.toThrow();
      await agentRuns(id);
      await cluster().startPart('kube-apiserver');
      // Each worker has its own cache, and watches again when its own backoff is over.
      for (const runtime of [sessions.runtime(), later]) {
        await eventually(() => agentExited(id, runtime));
      }
      // The new one's history begins at its start: the watch's version is too old (410), so it lists again.
      const direct = await sessions.driver.openCluster();
      const watching = direct.watchPods('', '1', () => undefined, new AbortController().signal);
      await expect(watching).rejects.toMatchObject({ name: 'ClusterError', status: 410 });
      direct.close();
      await sessions.runtime().stop(id);
      expect(await sessions.driver.running(id)).toEqual([]);
    },
    slowMs,
  );

  it(
    'eventually start when the API server dies during a launch',
    async () => {
      const frozen = sessions.prepare({ servers: [serverNamed('one')] });
      const runtime = await sessions.open({ options: { startTimeoutMs: 120_000 } });
      const starting = runtime.start(runtime.render(frozen), secretsWith(frozen.session_id));
      await new Promise((resolve) => setTimeout(resolve, 100));
      await cluster().killPart('kube-apiserver');
      await cluster().startPart('kube-apiserver');
      await starting;
      await agentRuns(frozen.session_id, runtime);
      await runtime.stop(frozen.session_id);
      expect(await sessions.driver.running(frozen.session_id)).toEqual([]);
    },
    slowMs,
  );

  it(
    'start, or end with a reason, when the node’s kubelet dies during a launch; nothing of them is left',
    async () => {
      const frozen = sessions.prepare({
        servers: [
          serverNamed('one', { env: { T: { kind: 'secret', secret_name: 'T', secret_version: 1 } } }),
        ],
      });
      const id = frozen.session_id;
      const runtime = await sessions.open({ options: { startTimeoutMs: 120_000 } });
      const starting = runtime
        .start(runtime.render(frozen), secretsWith(id, { serverEnv: { one: { T: 'value' } } }))
        .then(
          () => 'started',
          (error: unknown) => error,
        );
      await new Promise((resolve) => setTimeout(resolve, 500));
      await cluster().killPart('kubelet');
      await cluster().startPart('kubelet');
      const outcome = await starting;
      // A kubelet does not adopt a container that its predecessor had created but not
      // started: then the session ends.
      if (outcome === 'started') {
        expect(await runtime.inspect(id)).toMatchObject({ state: 'running' });
      } else {
        expect(outcome).toBeInstanceOf(WorkloadFailedError);
      }
      await runtime.stop(id);
      expect(await runtime.inspect(id)).toEqual({ state: 'absent' });
      expect(await sessions.driver.running(id)).toEqual([]);
    },
    slowMs,
  );

  it(
    'keep running when the node’s kubelet dies later',
    async () => {
      const frozen = sessions.prepare({ servers: [serverNamed('one')] });
      const id = await sessions.start(frozen);
      const runtime = sessions.runtime();
      await cluster().killPart('kubelet');
      await cluster().startPart('kubelet');
      await new Promise((resolve) => setTimeout(resolve, 5000));
      const state = await runtime.inspect(id);
      for (const name of ['sidecar', 'agent', 'mcp-one']) {
        expect(containerIn(state, name)).toMatchObject({ state: 'running' });
      }
      await runtime.stop(id);
      expect(await sessions.driver.running(id)).toEqual([]);
    },
    slowMs,
  );

  it(
    'end with a reason when the cluster evicts them from a lost node',
    async () => {
      const id = await sessions.start(sessions.prepare());
      const { core } = sessions.driver.admin();
      // As the cluster taints a node that does not answer; its only node it would never taint by itself.
      const taintNode = (taints: V1Taint[]) =>
        eventually(async () => {
          const node = await core.readNode({ name: 'node' });
          await core.replaceNode({ name: 'node', body: { ...node, spec: { ...node.spec, taints } } });
        });
      await taintNode([{ key: 'example.com/lost', effect: 'NoExecute' }]);
      try {
        await eventually(async () =>
          expect(await sessions.runtime().inspect(id)).toMatchObject({
            state: 'lost',
            reason: expect.stringMatching(/^its node was lost: /),
          }),
        );
      } finally {
        await taintNode([]);
      }
      await sessions.runtime().stop(id);
      expect(await sessions.driver.running(id)).toEqual([]);
    },
    slowMs,
  );

  it(
    'are eventually stopped when their node is lost',
    async () => {
      const runtime = await sessions.open({ options: { lostNodeTimeoutMs: 1000 } });
      const frozen = sessions.prepare();
      const id = frozen.session_id;
      await runtime.start(runtime.render(frozen), secretsWith(id));
      await cluster().killPart('kubelet');
      try {
        await runtime.stop(id);
        expect(await runtime.inspect(id)).toEqual({ state: 'absent' });
      } finally {
        await cluster().startPart('kubelet');
      }
    },
    slowMs,
  );
});
