/**
 * A worker that is killed between any two of its calls to the cluster while it starts a session, and
 * one that ends gracefully.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import pino from 'pino';
import type { Cluster } from '../../../runtime/kubernetes/cluster.ts';
import { createKubernetesRuntime, type KubernetesRuntime } from '../../../runtime/kubernetes/driver.ts';
import { ClusterError } from '../../../runtime/kubernetes/requests.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { containerIn, secretsWith } from '../runtime/driver-under-test.ts';
import { describeOnKubernetes } from './kubernetes-driver.ts';
import { sessionsOnCluster } from './sessions.ts';

class Killed extends Error {}

/** Carries out the first `calls` mutating calls; every later call fails, as if the worker had been killed. */
function killedAfter(calls: number, cluster: Cluster): Cluster {
  let left = calls;
  const counted =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      left -= 1;
      if (left < 0) {
        throw new Killed();
      }
      return work(...args);
    };
  return {
    ...cluster,
    createPod: counted(cluster.createPod),
    createSecret: counted(cluster.createSecret),
    createNetworkPolicy: counted(cluster.createNetworkPolicy),
    openGate: counted(cluster.openGate),
    readPod: counted(cluster.readPod),
  };
}

/** An API server that is unreachable for the first deletions of Secrets. */
function awayForDeletions(times: number, cluster: Cluster): Cluster {
  let left = times;
  const deleteSecret: Cluster['deleteSecret'] = async (name) => {
    left -= 1;
    if (left >= 0) {
      throw new ClusterError(null, 'ECONNREFUSED');
    }
    await cluster.deleteSecret(name);
  };
  return { ...cluster, deleteSecret };
}

/** An API server that carries out requests even after their clients gave up waiting. */
function slowToCreate(cluster: Cluster) {
  const created: Promise<unknown>[] = [];
  const createPod = (manifest: Parameters<Cluster['createPod']>[0], signal?: AbortSignal) => {
    const creating = sleep(1000).then(() => cluster.createPod(manifest));
    created.push(creating.catch(() => undefined));
    const givenUp = new Promise<never>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason)),
    );
    return Promise.race([creating, givenUp]);
  };
  return { created, cluster: { ...cluster, createPod } };
}

/** The Pod, two Secrets and the policy, the gate, the first look. */
const callsOfAStart = 6;

const endingWorker = fileURLToPath(new URL('ending-worker.ts', import.meta.url));
/** Far less than the duration of a watch. */
const endLimitMs = 45_000;

describeOnKubernetes('a worker that exits while it starts a session', () => {
  const sessions = sessionsOnCluster();
  const frozen = () =>
    sessions.prepare({
      servers: [serverNamed('one', { env: { T: { kind: 'secret', secret_name: 'T', secret_version: 1 } } })],
    });
  const runtimeOn = (cluster: Cluster): KubernetesRuntime => {
    const { driver } = sessions;
    return createKubernetesRuntime({
      cluster,
      settings: driver.settings(),
      containers: driver.containers(sessions.reports().url),
      startTimeoutMs: 45_000,
      logger: pino({ level: 'silent' }),
    });
  };

  it('is asked to stop the session while its Pod is created: the Pod is deleted too, however late it appears', async () => {
    const { cluster, created } = slowToCreate(await sessions.driver.openCluster());
    const runtime = runtimeOn(cluster);
    const configuration = frozen();
    const id = configuration.session_id;
    const starting = runtime.start(runtime.render(configuration), secretsWith(id)).catch(() => 'given up');
    await eventually(() => expect(created).toHaveLength(1));
    await runtime.stop(id);
    await Promise.all(created);
    expect(await starting).toBe('given up');
    expect(await sessions.driver.running(id)).toEqual([]);
    runtime.close();
  });

  it('removes the Secrets of the containers, also when the API server is unreachable at that moment', async () => {
    const runtime = runtimeOn(awayForDeletions(2, await sessions.driver.openCluster()));
    const configuration = frozen();
    const id = configuration.session_id;
    const secrets = secretsWith(id, { serverEnv: { one: { T: 'value' } } });
    await runtime.start(runtime.render(configuration), secrets);
    const left = await sessions.driver.admin().listSecrets(id);
    expect(left.map(({ metadata }) => metadata?.name)).toEqual([expect.stringMatching(/boot/)]);
    await runtime.stop(id);
    runtime.close();
  });

  it('ends when asked to, without being kept alive by a watch', async () => {
    const { kubeconfig, namespace } = sessions.driver;
    const env = { ...process.env, KUBECONFIG: kubeconfig, KUBERNETES_NAMESPACE: namespace };
    const ended = await promisify(execFile)(process.execPath, ['--import', 'tsx', endingWorker], {
      env,
      timeout: endLimitMs,
    });
    // Before it closed its runtime, the watch kept the process alive.
    expect(JSON.parse(ended.stdout)).toContain('Timeout');
  });

  const startAndDie = async (calls: number) => {
    const configuration = frozen();
    const id = configuration.session_id;
    const secrets = secretsWith(id, { serverEnv: { one: { T: 'value' } } });
    const killed = runtimeOn(killedAfter(calls, await sessions.driver.openCluster()));
    await expect(killed.start(killed.render(configuration), secrets)).rejects.toBeInstanceOf(Killed);
    killed.close();
    return { id, configuration, secrets };
  };

  it.each(Array.from({ length: callsOfAStart }, (_, calls) => calls))(
    'is continued by the next worker after %i calls',
    async (calls) => {
      const { id, configuration, secrets } = await startAndDie(calls);
      const next = sessions.runtime();
      await next.start(next.render(configuration), secrets);
      expect(containerIn(await next.inspect(id), 'agent')).toMatchObject({ state: 'running' });
      await next.stop(id);
      expect(await sessions.driver.running(id)).toEqual([]);
    },
  );

  it.each(Array.from({ length: callsOfAStart }, (_, calls) => calls))(
    'leaves nothing after %i calls that a stop does not remove',
    async (calls) => {
      const { id } = await startAndDie(calls);
      const next = sessions.runtime();
      expect((await next.list()).includes(id)).toBe(calls > 0);
      await next.stop(id);
      expect(await sessions.driver.running(id)).toEqual([]);
      expect(await next.inspect(id)).toEqual({ state: 'absent' });
    },
  );
});
