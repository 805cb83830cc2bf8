/**
 * The Helm chart, installed on the cluster of the tests as a company would install it: Postgres, Temporal, the identity provider
 * and a load balancer are there already, outside the cluster.
 */
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { CoreV1Api, DiscoveryV1Api, KubeConfig, type V1Pod } from '@kubernetes/client-node';
import { z } from 'zod';
import { type RunningTemporal, startTemporal } from '../../../embedded/temporal.ts';
import { chartDirectory, mergeValues } from '../chart.ts';
import { createEmptyDatabase } from '../database.ts';
import { deploymentTool } from '../deployment-tools.ts';
import { eventually } from '../eventually.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { requirePlatformImages } from '../platform-images.ts';
import { type Forward, forward, type Target } from '../tcp-forward.ts';
import type { TestCluster } from './test-cluster.ts';

const releaseName = 'platform';
const installTimeoutMs = 240_000;
const mebibyte = 1024 * 1024;

export interface Release {
  /** Where browsers find the platform. */
  url: string;
  identity: IdentityProvider;
  namespace: string;
  sessionsNamespace: string;
  core: CoreV1Api;
  /** `install` or `upgrade`, and waits until every Pod of it is ready; `values` over those of this test. */
  apply(command: 'install' | 'upgrade', values?: object): Promise<void>;
  uninstall(): Promise<void>;
  /** The Pods of one part. */
  pods(component: 'api' | 'worker'): Promise<V1Pod[]>;
  sessionPods(): Promise<V1Pod[]>;
  /** Removes everything of it. */
  end(): Promise<void>;
}

/** Nothing is installed yet. `registry` is that of MCP servers' images, over plain HTTP. */
export async function prepareRelease(cluster: TestCluster, registry: string): Promise<Release> {
  const suffix = randomBytes(4).toString('hex');
  const namespace = `platform-${suffix}`;
  const sessionsNamespace = `platform-sessions-${suffix}`;
  const directory = mkdtempSync(join(tmpdir(), 'release-'));
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const closing: (() => Promise<unknown>)[] = [];
  const keep = <Thing>(thing: Thing, close: () => Promise<unknown>): Thing => {
    closing.unshift(close);
    return thing;
  };

  const database = await createEmptyDatabase();
  closing.unshift(database.drop);
  const temporal = await startOwnTemporal(directory);
  closing.unshift(temporal.stop);
  const gateway = cluster.hostAddress;
  const onGateway = async (target: Target): Promise<Forward> => {
    const forwarded = await forward({ host: gateway }, () => target);
    return keep(forwarded, forwarded.close);
  };
  const databaseUrl = new URL(database.url);
  const postgres = await onGateway({ host: '127.0.0.1', port: Number(databaseUrl.port) });
  databaseUrl.hostname = gateway;
  databaseUrl.port = String(postgres.port);
  const temporalForward = await onGateway({ host: '127.0.0.1', port: temporal.port });
  const apiServer = new URL(config.getCurrentCluster()?.server ?? '');
  const apiServerForward = await onGateway({ host: apiServer.hostname, port: Number(apiServer.port) });

  const chooseApiPod = () => readyEndpoint(config.makeApiClient(DiscoveryV1Api), namespace);
  const front = await forward({ host: '127.0.0.1' }, chooseApiPod);
  closing.unshift(front.close);
  const internal = await forward({ host: gateway }, chooseApiPod);
  closing.unshift(internal.close);
  const url = `http://localhost:${front.port}`;
  const identity = await startIdentityProvider(gateway, url);
  closing.unshift(identity.stop);

  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await core.createNamespace({ body: { metadata: { name: namespace, labels } } });
  closing.unshift(() => removeNamespace(core, namespace));
  closing.unshift(() => removeNamespace(core, sessionsNamespace).catch(() => undefined));
  await writeGiven(core, namespace, databaseUrl.href, identity.certificate);

  const given = {
    publicUrl: url,
    oidc: { issuer: identity.issuer, clientId: identity.clientId },
    database: { existingSecret: 'database' },
    temporal: { address: `${gateway}:${temporalForward.port}` },
    keys: { existingSecret: 'keys' },
    images: await importImages(cluster),
    config: { PRIVATE_REGISTRIES: `http://${registry}` },
    api: { ...small, extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authorities/ca.crt' }] },
    // This cluster's service network leads nowhere.
    worker: {
      ...small,
      extraEnv: [
        { name: 'KUBERNETES_SERVICE_HOST', value: gateway },
        { name: 'KUBERNETES_SERVICE_PORT', value: String(apiServerForward.port) },
      ],
    },
    extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
    extraVolumeMounts: [{ name: 'authorities', mountPath: '/etc/authorities', readOnly: true }],
    sessions: {
      namespace: sessionsNamespace,
      internalApiUrl: `http://${gateway}:${internal.port}`,
      apiPeer: `cidr:${gateway}/32`,
      config: {
        KUBERNETES_CPU_REQUEST_PERCENT: '1',
        KUBERNETES_MEMORY_REQUEST_PERCENT: '10',
        KUBERNETES_SESSION_VOLUME_BYTES: String(16 * mebibyte),
      },
    },
  };
  const helm = async (args: readonly string[]) => {
    const env = { PATH: process.env['PATH'], HOME: directory, KUBECONFIG: cluster.kubeconfig };
    const options = { env, timeout: installTimeoutMs, maxBuffer: 16 * mebibyte };
    return promisify(execFile)(deploymentTool('helm'), [...args, '--namespace', namespace], options);
  };
  return {
    url,
    identity,
    namespace,
    sessionsNamespace,
    core,
    async apply(command, values = {}) {
      const file = join(directory, 'values.json');
      writeFileSync(file, JSON.stringify(mergeValues(given, values)));
      const wait = ['--wait', '--timeout', `${installTimeoutMs - 10_000}ms`];
      await helm([command, releaseName, chartDirectory, '--values', file, ...wait]).catch(async (error) => {
        throw new Error(`${String(error)}\n${await describePods(core, namespace)}`);
      });
    },
    async uninstall() {
      await helm(['uninstall', releaseName, '--wait', '--timeout', '120s']);
    },
    async pods(component) {
      const labelSelector = `app.kubernetes.io/component=${component}`;
      return (await core.listNamespacedPod({ namespace, labelSelector })).items;
    },
    async sessionPods() {
      return (await core.listNamespacedPod({ namespace: sessionsNamespace })).items;
    },
    async end() {
      for (const close of closing) {
        await close();
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const small = { resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '1Gi' } } };

async function startOwnTemporal(directory: string): Promise<RunningTemporal> {
  const tools = z.object({ temporal: z.string() });
  const { temporal: program } = tools.parse(JSON.parse(readFileSync('.cache/tools.json', 'utf8')));
  return startTemporal({ program, directory: join(directory, 'temporal'), uiPort: null });
}

/** As the Service chooses: any Pod of the API that says that it is ready. */
async function readyEndpoint(discovery: DiscoveryV1Api, namespace: string): Promise<Target> {
  const labelSelector = 'kubernetes.io/service-name=platform-agent-platform-api';
  const { items } = await discovery.listNamespacedEndpointSlice({ namespace, labelSelector });
  const ready = items.flatMap(({ endpoints, ports }) =>
    (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready === true)
      .map(({ addresses }) => ({ host: addresses[0] ?? '', port: ports?.[0]?.port ?? 0 })),
  );
  const chosen = ready[Math.floor(Math.random() * ready.length)];
  if (chosen === undefined) {
    throw new Error('no Pod of the API is ready');
  }
  return chosen;
}

/** What the chart takes as given: the database's address, the keys, and the authority of the identity provider. */
async function writeGiven(core: CoreV1Api, namespace: string, databaseUrl: string, certificate: string) {
  const keys = parseEnv(execFileSync(process.execPath, ['scripts/make-keys.mjs'], { encoding: 'utf8' }));
  const secret = (name: string, stringData: Record<string, string>) =>
    core.createNamespacedSecret({ namespace, body: { metadata: { name }, stringData } });
  await secret('keys', z.record(z.string(), z.string()).parse(keys));
  await secret('database', { DATABASE_URL: databaseUrl });
  const authorities = { metadata: { name: 'authorities' }, data: { 'ca.crt': certificate } };
  await core.createNamespacedConfigMap({ namespace, body: authorities });
}

async function importImages(cluster: TestCluster) {
  const { sidecar, scripted, runner, platform } = requirePlatformImages();
  return {
    platform: await cluster.importImage(platform),
    sidecar: await cluster.importImage(sidecar),
    scripted: await cluster.importImage(scripted),
    runner: await cluster.importImage(runner),
  };
}

async function removeNamespace(core: CoreV1Api, name: string): Promise<void> {
  const { items } = await core.listNamespacedPod({ namespace: name });
  for (const { metadata } of items) {
    const pod = { name: metadata?.name ?? '', namespace: name, gracePeriodSeconds: 0 };
    await core.deleteNamespacedPod(pod).catch(() => undefined);
  }
  await core.deleteNamespace({ name }).catch(() => undefined);
  await eventually(
    async () => {
      const left = await core.listNamespace({ fieldSelector: `metadata.name=${name}` });
      if (left.items.length > 0) {
        throw new Error(`the namespace ${name} is still there`);
      }
    },
    { withinMs: 60_000 },
  );
}

/** For an error: what each Pod says, and the end of its log. */
async function describePods(core: CoreV1Api, namespace: string): Promise<string> {
  const { items } = await core.listNamespacedPod({ namespace });
  const texts = items.map(async ({ metadata, status }) => {
    const name = metadata?.name ?? '';
    const log = await core
      .readNamespacedPodLog({ name, namespace, tailLines: 10 })
      .catch(() => '(it has no log)');
    return `${name}: ${status?.phase} ${JSON.stringify(status?.containerStatuses?.[0]?.state)}\n${log}`;
  });
  return (await Promise.all(texts)).join('\n');
}
