/**
 * The Kubernetes runtime under test: on the cluster of the tests, in a namespace of the test's
 * own that enforces `restricted`, as a service account that may do what
 * `runtime/kubernetes/rbac.ts` lists and nothing else.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import pino from 'pino';
import type { ContainerSettings } from '../../../runtime/container-workload/container-settings.ts';
import type { ContainerWorkload } from '../../../runtime/container-workload/container-workload.ts';
import { type Cluster, openCluster } from '../../../runtime/kubernetes/cluster.ts';
import {
  createKubernetesRuntime,
  type KubernetesRuntime,
  type KubernetesRuntimeDependencies,
} from '../../../runtime/kubernetes/driver.ts';
import { podName } from '../../../runtime/kubernetes/names.ts';
import type { KubernetesSettings } from '../../../runtime/kubernetes/settings.ts';
import { testContainerSettings } from '../../support/container-settings.ts';
import { eventually } from '../../support/eventually.ts';
import { hasKubernetes, startTestCluster, type TestCluster } from '../../support/kubernetes/test-cluster.ts';
import { importSessionImages, testKubernetesSettings } from '../../support/kubernetes/test-settings.ts';
import { platformImages } from '../../support/platform-images.ts';
import type { DriverUnderTest } from '../runtime/driver-under-test.ts';
import { startWorkerProcess } from '../runtime/worker-process.ts';
import { type Admin, openAdmin } from './admin.ts';

const startSessionScript = new URL('./inside/start-session.ts', import.meta.url);

/** `describe`, for tests that run sessions as Pods; they are skipped without a cluster. */
export const describeOnKubernetes: typeof describe | typeof describe.skip =
  hasKubernetes && platformImages !== null ? describe : describe.skip;

export interface OpenChanges {
  settings: Partial<KubernetesSettings>;
  containers: Partial<ContainerSettings>;
  options: Partial<KubernetesRuntimeDependencies>;
}

export interface KubernetesDriver extends DriverUnderTest<ContainerWorkload> {
  namespace: string;
  /** The worker's file for the cluster. */
  kubeconfig: string;
  /** Call it before anything else. */
  begin(): Promise<void>;
  /** What an administrator sees and does. */
  admin(): Admin;
  cluster(): TestCluster;
  /** The worker's account, with the library's own client, and the name of a session's Secret. */
  openWorker(sessionId: string): Promise<{ core: CoreV1Api; name: string }>;
  /** The worker's own connection to the cluster. */
  openCluster(): Promise<Cluster>;
  settings(changes?: Partial<KubernetesSettings>): KubernetesSettings;
  containers(apiUrl: string, changes?: Partial<ContainerSettings>): ContainerSettings;
  openWith(apiUrl: string, changes: Partial<OpenChanges>): Promise<KubernetesRuntime>;
  /** Removes everything of this test. */
  end(): Promise<void>;
}

export function kubernetesDriver(start: () => Promise<TestCluster> = startTestCluster): KubernetesDriver {
  const namespace = `sessions-${randomBytes(4).toString('hex')}`;
  const directory = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const kubeconfig = join(directory, 'worker.kubeconfig');
  const runtimes: KubernetesRuntime[] = [];
  const begun: { cluster?: TestCluster; admin?: Admin; images?: ContainerSettings['images'] } = {};
  const open = () => openCluster({ kubeconfig, namespace });
  const settings = (changes: Partial<KubernetesSettings> = {}): KubernetesSettings => ({
    ...testKubernetesSettings({
      namespace,
      installation: 'test',
      hostAddress: required(begun.cluster).hostAddress,
    }),
    ...changes,
  });
  const containers = (apiUrl: string, changes: Partial<ContainerSettings> = {}): ContainerSettings => ({
    ...testContainerSettings({ apiUrl, networks: 'shared', images: required(begun.images) }),
    ...changes,
  });
  const openWith = async (apiUrl: string, changes: Partial<OpenChanges>): Promise<KubernetesRuntime> => {
    const runtime = createKubernetesRuntime({
      cluster: await open(),
      settings: settings(changes.settings),
      containers: containers(apiUrl, changes.containers),
      startTimeoutMs: 45_000,
      logger: pino({ level: 'silent' }),
      ...changes.options,
    });
    runtimes.push(runtime);
    return runtime;
  };
  return {
    namespace,
    kubeconfig,
    admin: () => required(begun.admin),
    cluster: () => required(begun.cluster),
    openCluster: open,
    async openWorker(sessionId) {
      const config = new KubeConfig();
      config.loadFromFile(kubeconfig);
      const [secret] = await required(begun.admin).listSecrets(sessionId);
      return { core: config.makeApiClient(CoreV1Api), name: secret?.metadata?.name ?? '' };
    },
    settings,
    containers,
    openWith,
    async begin() {
      const cluster = await start();
      begun.cluster = cluster;
      begun.admin = openAdmin(cluster.kubeconfig, namespace);
      begun.images = await importSessionImages(cluster);
      await begun.admin.createNamespace();
      writeFileSync(kubeconfig, await begun.admin.workerKubeconfig(), { mode: 0o600 });
    },
    isolates: true,
    siblings: true,
    hasOwnNetworks: false,
    reportsFromInside: true,
    open: (apiUrl) => openWith(apiUrl, {}),
    startInProcess: (apiUrl, workload, secrets, dieAfterMs) =>
      startWorkerProcess(startSessionScript, {
        dieAfterMs,
        kubeconfig,
        settings: settings(),
        containers: containers(apiUrl),
        workload,
        secrets,
      }),
    hostAddress: async () => required(begun.cluster).hostAddress,
    async lose(sessionId) {
      const { core } = required(begun.admin);
      await core.deleteNamespacedPod({ name: podName(sessionId), namespace, gracePeriodSeconds: 0 });
    },
    running: (sessionId) => leftOf(required(begun.admin), sessionId),
    async end() {
      for (const runtime of runtimes) {
        runtime.close();
      }
      await begun.admin?.deleteNamespace();
      await begun.cluster?.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What is left of a session; what belongs to a deleted Pod is removed shortly after it. */
async function leftOf(admin: Admin, sessionId: string): Promise<string[]> {
  return eventually(async () => {
    const hasPod = (await admin.listPods(sessionId)).length > 0;
    const left = await admin.listAll(sessionId);
    if (!hasPod && left.length > 0) {
      throw new Error(`left: ${left.join(', ')}`);
    }
    return left;
  });
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) {
    throw new Error('the driver under test has not begun');
  }
  return value;
}
