/**
 * What a company has before it installs the chart: Postgres, Temporal, an identity provider and a load
 * balancer, reached by Pods.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiscoveryV1Api, KubeConfig } from '@kubernetes/client-node';
import { startTemporal } from '../../../bin/start/temporal.ts';
import { createEmptyDatabase } from '../database.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { forward, type Target } from '../tcp-forward.ts';
import { temporalProgram } from '../temporal-program.ts';
import type { TestCluster } from './test-cluster.ts';

export interface Services {
  /** Where browsers find the platform: a load balancer in front of the API's Pods. */
  url: string;
  /** The same for Pods. */
  internalUrl: string;
  databaseUrl: string;
  /** `host:port`. */
  temporalAddress: string;
  /** The cluster's own API server, as Pods reach it. */
  apiServer: Target;
  identity: IdentityProvider;
  close(): Promise<void>;
}

/** `service` and `namespace` are those of the API that is to come. */
export async function openServices(
  cluster: TestCluster,
  service: { name: string; namespace: string },
): Promise<Services> {
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const gateway = cluster.hostAddress;
  const closing: (() => Promise<unknown>)[] = [];
  const onGateway = async (choose: () => Target | Promise<Target>): Promise<Target> => {
    const { port, close } = await forward({ host: gateway }, choose);
    closing.unshift(close);
    return { host: gateway, port };
  };

  const database = await createEmptyDatabase();
  closing.unshift(database.drop);
  const databaseUrl = new URL(database.url);
  const postgres = await onGateway(always(databaseUrl));
  databaseUrl.host = `${postgres.host}:${postgres.port}`;

  const temporal = await startOwnTemporal();
  closing.unshift(temporal.stop);
  const temporalTarget = await onGateway(() => ({ host: '127.0.0.1', port: temporal.port }));
  const apiServer = await onGateway(always(new URL(config.getCurrentCluster()?.server ?? '')));

  const chooseApiPod = () => readyEndpoint(config.makeApiClient(DiscoveryV1Api), service);
  const front = await forward({ host: '127.0.0.1' }, chooseApiPod);
  closing.unshift(front.close);
  const internal = await onGateway(chooseApiPod);
  const url = `http://localhost:${front.port}`;
  const identity = await startIdentityProvider(gateway, url);
  closing.unshift(identity.stop);
  return {
    url,
    internalUrl: `http://${internal.host}:${internal.port}`,
    databaseUrl: databaseUrl.href,
    temporalAddress: `${temporalTarget.host}:${temporalTarget.port}`,
    apiServer,
    identity,
    async close() {
      for (const close of closing) {
        await close();
      }
    },
  };
}

const always =
  ({ hostname, port }: URL) =>
  () => ({ host: hostname, port: Number(port) });

async function startOwnTemporal() {
  const directory = mkdtempSync(join(tmpdir(), 'temporal-'));
  const temporal = await startTemporal({
    ...{ program: temporalProgram(), directory, hasUi: false },
    isForTests: true,
  });
  const stop = async () => {
    await temporal.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { port: temporal.port, stop };
}

/** Chooses like the Service: any ready Pod of the API. */
async function readyEndpoint(
  discovery: DiscoveryV1Api,
  { name, namespace }: { name: string; namespace: string },
): Promise<Target> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
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
