/**
 * A real Kubernetes cluster for tests: the one that KUBECONFIG names, or one node that is started on this
 * machine with the programs that the set-up of `npm test` built. All test files of a run share one; those
 * that break parts take one of their own.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { eventually } from '../eventually.ts';
import { testRun } from '../test-runs.ts';
import { importEngineImage } from './engine-images.ts';
import { givenCluster } from './given-cluster.ts';
import { trustRegistry } from './node-files.ts';
import { apiServerReady, podsCanRun } from './node-lifecycle.ts';
import { killPart, type Part, startPart } from './node-parts.ts';
import { kubeconfigFile, type NodePlace } from './node-place.ts';
import { acquireOwn, acquireShared, releaseShared } from './slots.ts';

export interface TestCluster {
  /** The path of a file for an administrator. */
  kubeconfig: string;
  /** The address of this host for a Pod. What a Pod shall reach must listen there (or everywhere). */
  hostAddress: string;
  /**
   * `host:port` of a registry without passwords, over plain HTTP, for this host and for the node; null when
   * KUBECONFIG names the cluster.
   */
  registryAddress: string | null;
  /**
   * Puts an image of the container engine on the node. Answers the reference by digest
   * under which Pods find it.
   */
  importImage(name: string): Promise<string>;
  /** Lets the node pull from a registry of a test, `127.0.0.1:port`, over plain HTTP. */
  trustRegistry(host: string): void;
  /** Ends the use of it. The shared one stops when the whole run has ended. */
  stop(): Promise<void>;
}

/** A cluster that one test file has for itself and may break. */
export interface OwnTestCluster extends TestCluster {
  /** `kill -9` of a part, and waits until it is gone. */
  killPart(part: Part): Promise<void>;
  /** Starts a part that was killed, and waits until the cluster is whole again where all parts run. */
  startPart(part: Part): Promise<void>;
}

export type { Part };

/** For `beforeAll`: a start takes about 6 s on an idle machine, and much longer on a busy one. */
export const clusterTimeoutMs = 900_000;

const settings = z.object({ programs: z.string().nullable() });
const programs = readPrograms();
/** The directory of Kubernetes' own programs; null where no cluster can be started. */
export const kubernetesPrograms = programs;
const given = givenCluster(process.env);

/** False without a cluster: tests that need one are skipped. */
export const hasKubernetes = given !== null || programs !== null;
/** False where a cluster cannot be started, only used. */
export const hasOwnKubernetes = programs !== null;

/**
 * The cluster that the tests of a run share. Each test makes namespaces of its own in it and removes them.
 */
export async function startTestCluster(): Promise<TestCluster> {
  if (given !== null) {
    return given;
  }
  const place = await acquireShared(testRun(), requirePrograms());
  return { ...shown(place), stop: async () => undefined };
}

/** Ends this run's use of the shared cluster; without one it does nothing. */
export async function releaseTestCluster(): Promise<void> {
  if (programs !== null) {
    await releaseShared(testRun());
  }
}

/**
 * A cluster of the caller's own, always started here, for tests that kill parts of it. It takes some
 * seconds and 700 MB of memory.
 */
export async function startOwnTestCluster(): Promise<OwnTestCluster> {
  const own = requirePrograms();
  const { place, release } = await acquireOwn(process.pid, own);
  return {
    ...shown(place),
    killPart: (part) => killPart(place, part),
    async startPart(part) {
      startPart(place, part, own);
      await eventually(() => expectTrue(part, place), { withinMs: 120_000 });
    },
    stop: release,
  };
}

function shown(place: NodePlace): Omit<TestCluster, 'stop'> {
  return {
    kubeconfig: kubeconfigFile(place),
    hostAddress: place.gateway,
    registryAddress: `127.0.0.1:${place.registryPort}`,
    importImage: (name) => importEngineImage(place, name),
    trustRegistry: (host) => trustRegistry(place, host),
  };
}

/** A part of the control plane is back when the API server answers; the others when the node takes Pods. */
async function expectTrue(part: Part, place: NodePlace): Promise<void> {
  const whole = part === 'kubelet' || part === 'containerd' ? podsCanRun(place) : apiServerReady(place);
  if (!(await whole)) {
    throw new Error(`${part} was started and the cluster is not ready again`);
  }
}

function requirePrograms(): string {
  if (programs === null) {
    throw new Error('no cluster can be started here; npm test says why');
  }
  return programs;
}

function readPrograms(): string | null {
  try {
    return settings.parse(JSON.parse(readFileSync('.cache/kubernetes.json', 'utf8'))).programs;
  } catch {
    return null;
  }
}
