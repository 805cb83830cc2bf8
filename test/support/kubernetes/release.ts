/** The Helm chart, installed on the cluster of the tests by the commands of docs/operations.md. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CoreV1Api, KubeConfig, NetworkingV1Api, type V1Pod } from '@kubernetes/client-node';
import { labelKeys } from '../../../runtime/kubernetes/names.ts';
import { mergeValues } from '../chart.ts';
import { deploymentTool } from '../deployment-tools.ts';
import { eventually } from '../eventually.ts';
import { requirePlatformImages } from '../platform-images.ts';
import { openServices, type Services } from './services.ts';
import { listSessionParts } from './session-parts.ts';
import type { TestCluster } from './test-cluster.ts';
import { importSessionImages } from './test-settings.ts';

const releaseName = 'gatepost';
const commandTimeoutMs = 240_000;
const mebibyte = 1024 * 1024;

export interface Release extends Pick<Services, 'url' | 'identity'> {
  namespace: string;
  sessionsNamespace: string;
  core: CoreV1Api;
  /** The documented block, from the namespace to Pods that are ready. */
  install(): Promise<void>;
  /** Applies these values over those of the installation; resolves when all its Pods are ready. */
  upgrade(values: object): Promise<void>;
  uninstall(): Promise<void>;
  /** The Pods of one part. */
  pods(component: 'api' | 'worker'): Promise<V1Pod[]>;
  sessionPods(): Promise<V1Pod[]>;
  /** Pods, Secrets and policies of sessions, as lines. */
  sessionParts(): Promise<string[]>;
  /** Adds what the Pods of the release and of its sessions say to an error of `work`. */
  explained<Result>(work: Promise<Result>): Promise<Result>;
  /** Removes everything of it. */
  end(): Promise<void>;
}

/** Nothing is installed yet. `registry` is that of MCP servers' images, over plain HTTP. */
export async function prepareRelease(
  cluster: TestCluster,
  { registry }: { registry: string },
): Promise<Release> {
  const suffix = randomBytes(4).toString('hex');
  const namespace = `platform-${suffix}`;
  const sessionsNamespace = `platform-sessions-${suffix}`;
  const services = await openServices(cluster, { name: `${releaseName}-api`, namespace });
  const directory = mkdtempSync(join(tmpdir(), 'release-'));
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const networking = config.makeApiClient(NetworkingV1Api);
  const values = {
    ...valuesFor(services),
    images: await importImages(cluster),
    config: { PRIVATE_REGISTRIES: `http://${registry}` },
    sessions: {
      namespace: sessionsNamespace,
      internalApiUrl: services.internalUrl,
      apiPeer: `cidr:${cluster.hostAddress}/32`,
      config: smallSessions,
    },
  };
  const shell = openShell(directory, {
    KUBECONFIG: cluster.kubeconfig,
    DATABASE_URL: services.databaseUrl,
  });
  const writeValues = (content: object) =>
    writeFileSync(join(directory, 'values.yaml'), JSON.stringify(content));
  const explained = <Result>(work: Promise<Result>) =>
    work.catch(async (error) => {
      const pods = await Promise.all([namespace, sessionsNamespace].map((name) => describePods(core, name)));
      throw new Error([String(error), ...pods].join('\n'));
    });
  const helm = (command: string) => explained(shell(`helm ${command} --namespace ${namespace}`));
  return {
    url: services.url,
    identity: services.identity,
    namespace,
    sessionsNamespace,
    core,
    async install() {
      writeValues(values);
      const commands = readmeCommands().map((line) =>
        line.replaceAll(/namespace gatepost\b/g, `namespace ${namespace}`),
      );
      const [createNamespace = '', ...others] = commands;
      await shell(createNamespace);
      await demandRestricted(core, namespace);
      const authorities = {
        metadata: { name: 'authorities' },
        data: { 'ca.crt': services.identity.certificate },
      };
      await core.createNamespacedConfigMap({ namespace, body: authorities });
      await explained(shell(others.join('\n')));
    },
    async upgrade(changes) {
      writeValues(mergeValues(values, changes));
      await helm(`upgrade ${releaseName} deploy/helm/gatepost --values values.yaml --wait`);
    },
    async uninstall() {
      await helm(`uninstall ${releaseName} --wait`);
    },
    async pods(component) {
      const labelSelector = `app.kubernetes.io/component=${component}`;
      return (await core.listNamespacedPod({ namespace, labelSelector })).items;
    },
    async sessionPods() {
      return (await core.listNamespacedPod({ namespace: sessionsNamespace })).items;
    },
    sessionParts: () =>
      listSessionParts(
        { core, networking },
        { namespace: sessionsNamespace, labelSelector: labelKeys.session },
      ),
    explained,
    async end() {
      await removeNamespace(core, sessionsNamespace);
      await removeNamespace(core, namespace);
      await services.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The block of docs/operations.md that installs the chart, by its lines. */
function readmeCommands(): string[] {
  const [, after = ''] = readFileSync('docs/operations.md', 'utf8').split('<!-- kubernetes:');
  const [, block = ''] = /```sh\n(.*?)```/s.exec(after) ?? [];
  return block.trim().split('\n');
}

/**
 * Runs commands as a reader of that page does: with kubectl and helm on the path, and `values.yaml`
 * beside the project's folders.
 */
function openShell(directory: string, environment: Record<string, string>) {
  for (const name of ['deploy', 'scripts', 'node_modules', 'package.json']) {
    symlinkSync(resolve(name), join(directory, name));
  }
  for (const name of ['helm', 'kubectl'] as const) {
    symlinkSync(deploymentTool(name), join(directory, name));
  }
  const path = [directory, process.env['PATH'] ?? ''].join(delimiter);
  return async (script: string) => {
    const env = { ...environment, PATH: path, HOME: directory };
    const options = { cwd: directory, env, timeout: commandTimeoutMs, maxBuffer: 16 * mebibyte };
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
  };
}

/**
 * As the documented ones, with what this cluster lacks: a service network, and an authority
 * for the identity provider.
 */
function valuesFor({ url, identity, temporalAddress, apiServer }: Services) {
  const resources = { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '1Gi' } };
  const variable = (name: string, value: string) => ({ name, value });
  return {
    publicUrl: url,
    oidc: { issuer: identity.issuer, clientId: identity.clientId },
    database: { existingSecret: 'gatepost-database' },
    temporal: { address: temporalAddress },
    keys: { existingSecret: 'gatepost-keys' },
    api: { resources, extraEnv: [variable('NODE_EXTRA_CA_CERTS', '/etc/authorities/ca.crt')] },
    worker: {
      resources,
      extraEnv: [
        variable('KUBERNETES_SERVICE_HOST', apiServer.host),
        variable('KUBERNETES_SERVICE_PORT', String(apiServer.port)),
      ],
    },
    extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
    extraVolumeMounts: [{ name: 'authorities', mountPath: '/etc/authorities', readOnly: true }],
  };
}

const smallSessions = {
  KUBERNETES_CPU_REQUEST_PERCENT: '1',
  KUBERNETES_MEMORY_REQUEST_PERCENT: '10',
  KUBERNETES_SESSION_VOLUME_BYTES: String(16 * mebibyte),
};

async function importImages(cluster: TestCluster) {
  const platform = await cluster.importImage(requirePlatformImages().platform);
  return { platform, ...(await importSessionImages(cluster)) };
}

/** The platform's own Pods have to keep the standard of its sessions. */
async function demandRestricted(core: CoreV1Api, namespace: string): Promise<void> {
  const found = await core.readNamespace({ name: namespace });
  const labels = { ...found.metadata?.labels, 'pod-security.kubernetes.io/enforce': 'restricted' };
  await core.replaceNamespace({
    name: namespace,
    body: { ...found, metadata: { ...found.metadata, labels } },
  });
}

/** Does nothing when it is already deleted. */
async function removeNamespace(core: CoreV1Api, name: string): Promise<void> {
  const { items } = await core.listNamespacedPod({ namespace: name });
  for (const { metadata } of items) {
    const pod = { name: metadata?.name ?? '', namespace: name, gracePeriodSeconds: 0 };
    await core.deleteNamespacedPod(pod).catch(() => undefined);
  }
  await core.deleteNamespace({ name }).catch(() => undefined);
  await eventually(async () => {
    const left = await core.listNamespace({ fieldSelector: `metadata.name=${name}` });
    if (left.items.length > 0) {
      throw new Error(`the namespace ${name} is still there`);
    }
  });
}

/** For an error: what each container of the Pods says, the end of its log, and the latest events. */
async function describePods(core: CoreV1Api, namespace: string): Promise<string> {
  const { items } = await core.listNamespacedPod({ namespace });
  const containers = items.flatMap(({ metadata, status }) =>
    (status?.containerStatuses ?? []).map(async ({ name: container, state }) => {
      const name = metadata?.name ?? '';
      const log = await core
        .readNamespacedPodLog({ name, namespace, container, tailLines: 10 })
        .catch(() => '(it has no log)');
      return `${name} ${container}: ${status?.phase} ${JSON.stringify(state)}\n${log}`;
    }),
  );
  const events = (await core.listNamespacedEvent({ namespace })).items.map(
    ({ lastTimestamp, reason, message }) => `${lastTimestamp?.toISOString()} ${reason}: ${message}`,
  );
  return [...(await Promise.all(containers)), ...events.slice(-30)].join('\n');
}
