/**
 * Why a session does not start, in words for its operator; and Pods of random
 * configurations before real admission.
 */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { renderContainerWorkload } from '../../../runtime/container-workload/render-container-workload.ts';
import { envSecretName } from '../../../runtime/kubernetes/names.ts';
import type { VariableDelivery } from '../../../runtime/kubernetes/render-container.ts';
import { renderPod } from '../../../runtime/kubernetes/render-pod.ts';
import { resolvedSecret } from '../../../runtime/variables.ts';
import { WorkloadFailedError } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { checkAsyncProperty } from '../../support/property.ts';
import { randomLaunch } from '../../support/random-configurations.ts';
import { node, secretsWith, stays } from '../runtime/driver-under-test.ts';
import { describeOnKubernetes, type OpenChanges } from './kubernetes-driver.ts';
import { sessionsOnCluster } from './sessions.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const imageAgent = (image: string) => ({
  run: { type: 'image' as const, image },
  image: { digest, command: ['/agent'], volumes: [] },
});

describeOnKubernetes('a session that cannot start', () => {
  const sessions = sessionsOnCluster();
  const failure = async (
    agent: Parameters<typeof sessions.prepare>[0],
    changes: Partial<OpenChanges> = {},
  ): Promise<unknown> => {
    const runtime = await sessions.open(changes);
    const frozen = sessions.prepare(agent);
    const error = await runtime
      .start(runtime.render(frozen), secretsWith(frozen.session_id))
      .catch((thrown: unknown) => thrown);
    await runtime.stop(frozen.session_id);
    expect(await sessions.driver.running(frozen.session_id)).toEqual([]);
    return error;
  };

  /** Dry run: has admission check the Pod rendered from `configuration`, without creating it. */
  const tryAdmission = async (
    configuration: ReturnType<typeof sessions.prepare>,
    inline?: Parameters<typeof resolvedSecret>[2],
  ) => {
    const settings = sessions.driver.settings();
    const workload = renderContainerWorkload(
      configuration,
      sessions.driver.containers('http://10.0.0.1:8080'),
    );
    const launch = '0123abcd';
    const delivery: VariableDelivery =
      inline === undefined
        ? { type: 'reference', secretNameOf: ({ name }) => envSecretName(workload.sessionId, launch, name) }
        : { type: 'inline', valueOf: (container, variable) => resolvedSecret(container, variable, inline) };
    const body = renderPod(workload, settings, { launch, delivery });
    const { namespace } = settings;
    const { core } = sessions.driver.admin();
    await core.createNamespacedPod({ namespace, body, dryRun: 'All', fieldValidation: 'Strict' });
  };

  it('reports immediately that an image is not in its registry', async () => {
    const registry = sessions.driver.cluster().registryAddress ?? 'docker.io';
    const error = await failure({ agent: imageAgent(`${registry}/no/such:1`) });
    expect(error).toBeInstanceOf(WorkloadFailedError);
    expect(String(error)).toMatch(
      /The image of container agent cannot be pulled: its registry does not have it/,
    );
  });

  it('reports after the second attempt that a registry does not answer', async () => {
    const error = await failure({ agent: imageAgent('127.0.0.1:1/no/such:1') });
    expect(error).toBeInstanceOf(WorkloadFailedError);
    expect(String(error)).toMatch(/^WorkloadFailedError: The image of container agent cannot be pulled/);
  });

  it('reports the scheduler’s message when it fits on no node', async () => {
    const changes = { settings: { nodeSelector: { pool: 'none' } }, options: { startTimeoutMs: 15_000 } };
    const error = await failure({}, changes);
    expect(error).toBeInstanceOf(WorkloadFailedError);
    expect(String(error)).toMatch(
      /did not start within 15 seconds: no node of the cluster takes it: 0\/\d+ nodes/,
    );
  });

  it('reports what admission refuses: a quota, or an unknown runtime class', async () => {
    const { core } = sessions.driver.admin();
    const { namespace } = sessions.driver;
    const quota = { metadata: { name: 'none' }, spec: { hard: { 'requests.memory': '1Mi' } } };
    await core.createNamespacedResourceQuota({ namespace, body: quota });
    try {
      // Admission has its own cache, which sees the quota with a delay.
      await eventually(() =>
        expect(tryAdmission(sessions.prepare())).rejects.toThrow('exceeded quota: none'),
      );
      const error = await failure({});
      expect(error).toBeInstanceOf(WorkloadFailedError);
      expect(String(error)).toMatch(/quota of the sessions’ namespace.*exceeded quota: none/);
    } finally {
      await core.deleteNamespacedResourceQuota({ name: 'none', namespace });
    }
    const error = await failure({}, { settings: { runtimeClass: 'no-such-class' } });
    expect(error).toBeInstanceOf(WorkloadFailedError);
    expect(String(error)).toContain('no-such-class');
  });

  it('gives up when cancelled, and leaves nothing', async () => {
    const controller = new AbortController();
    const runtime = await sessions.open({ settings: { nodeSelector: { pool: 'none' } } });
    const frozen = sessions.prepare();
    const starting = runtime.start(runtime.render(frozen), secretsWith(frozen.session_id), controller.signal);
    setTimeout(() => controller.abort(new Error('told to')), 500);
    await expect(starting).rejects.toThrow('told to');
    await runtime.stop(frozen.session_id);
    expect(await sessions.driver.running(frozen.session_id)).toEqual([]);
  });

  it('is distinguished from one whose Pod somebody deleted', async () => {
    const id = await sessions.start(sessions.prepare({ agent: node(stays) }));
    await sessions.driver.lose(id);
    await eventually(async () => {
      expect(await sessions.runtime().inspect(id)).toEqual({
        state: 'lost',
        reason: 'its Pod was deleted, and not by the platform',
      });
    });
    await sessions.runtime().stop(id);
    expect(await sessions.runtime().inspect(id)).toEqual({ state: 'absent' });
  });

  it('is not caused by any rendered configuration: admission under `restricted` accepts it', async () => {
    await checkAsyncProperty(
      fc.asyncProperty(randomLaunch, fc.boolean(), ({ configuration, secrets }, inline) =>
        tryAdmission(configuration, inline ? secrets : undefined),
      ),
      { runs: 300 },
    );
  });
});
