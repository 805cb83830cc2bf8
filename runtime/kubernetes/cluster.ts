/**
 * The calls to the cluster that the driver makes, and no others: `rbac.ts` is the list
 * of rights that they need.
 */
import type { V1Pod, V1Secret } from '@kubernetes/client-node';
import * as z from 'zod';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { readTail, readTextLines } from '../read-stream.ts';
import { labelKeys, podName } from './names.ts';
import { type Pod, pod } from './pod.ts';
import type { NetworkPolicy } from './render-network-policy.ts';
import { ClusterError, type ClusterRequest, createRequests } from './requests.ts';

export type PodEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; pod: Pod };
export interface PodList {
  pods: Pod[];
  resourceVersion: string;
}

/** Each throws ClusterError. */
export interface Cluster {
  createPod(manifest: V1Pod): Promise<Pod>;
  /** Null when there is none. */
  readPod(sessionId: string, signal?: AbortSignal): Promise<Pod | null>;
  /** Lets the Pod with this uid be scheduled. Idempotent. */
  openGate(sessionId: string, uid: string, signal?: AbortSignal): Promise<void>;
  /** Sets the label `stopping` of the Pod with this uid. No error when it is deleted already. */
  markStopping(sessionId: string, uid: string): Promise<void>;
  /** Deletes the Pod with this uid, immediately with a grace of 0. No error when it is deleted already. */
  deletePod(sessionId: string, uid: string, graceSeconds: number | null): Promise<void>;
  /** No error when it exists already: its name is unique to its launch. */
  createSecret(manifest: V1Secret, signal?: AbortSignal): Promise<void>;
  deleteSecret(name: string): Promise<void>;
  createNetworkPolicy(manifest: NetworkPolicy, signal?: AbortSignal): Promise<void>;
  listPods(selector: string, signal?: AbortSignal): Promise<PodList>;
  /** Calls back with each event until the server ends the watch; resolves with the version to resume from. */
  watchPods(
    selector: string,
    resourceVersion: string,
    onEvent: (event: PodEvent) => void,
    signal: AbortSignal,
  ): Promise<string>;
  /** Empty when the container has not run. */
  readLog(sessionId: string, container: string, tailBytes: number): Promise<string>;
  close(): void;
}

const notFound = (error: ClusterError) => error.status === 404 && error.reason === 'NotFound';
const alreadyThere = (error: ClusterError) => error.saysAlreadyThere;
const notStarted = (error: ClusterError) => error.reason === 'BadRequest';
const conflict = (error: ClusterError) => error.reason === 'Conflict';
/** A silent watch may be a dead connection: it is restarted this often. */
const watchSeconds = 60;
const watchMarginMs = 10_000;
const logTimeoutMs = 20_000;
const pageSize = 500;

const listPage = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(pod),
});
const objectVersion = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const watchLine = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: pod }),
  z.object({ type: z.literal('BOOKMARK'), object: objectVersion }),
  z.object({
    type: z.literal('ERROR'),
    object: z.object({ code: z.number(), message: z.string().default('') }),
  }),
]);

/** `kubeconfig` null: the service account of the Pod that this runs in. */
export async function openCluster({
  kubeconfig,
  namespace,
}: {
  kubeconfig: string | null;
  namespace: string;
}): Promise<Cluster> {
  // Loading takes a second and much memory: only a worker whose sessions run on a cluster loads it.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (kubeconfig === null) {
    config.loadFromCluster();
  } else {
    config.loadFromFile(kubeconfig);
  }
  const requests = createRequests(config);
  const core = `/api/v1/namespaces/${namespace}`;
  const podPath = (sessionId: string) => `${core}/pods/${podName(sessionId)}`;
  /** A field unknown to the cluster is an error: a silently dropped one could be security-relevant. */
  const create = (path: string, body: unknown, signal?: AbortSignal) =>
    requests.json({ method: 'POST', path, body, query: { fieldValidation: 'Strict' }, signal });
  const patchPod = async (sessionId: string, body: unknown, signal?: AbortSignal): Promise<void> => {
    const contentType = 'application/merge-patch+json';
    await requests.json({ method: 'PATCH', path: podPath(sessionId), body, contentType, signal });
  };
  return {
    createPod: async (manifest) => pod.parse(await create(`${core}/pods`, manifest)),
    readPod: (sessionId, signal) =>
      unless(notFound, null, async () =>
        pod.parse(await requests.json({ method: 'GET', path: podPath(sessionId), signal })),
      ),
    openGate: (sessionId, uid, signal) =>
      patchPod(sessionId, { metadata: { uid }, spec: { schedulingGates: null } }, signal),
    markStopping: (sessionId, uid) =>
      unlessGone(() => patchPod(sessionId, { metadata: { uid, labels: { [labelKeys.stopping]: 'true' } } })),
    deletePod: (sessionId, uid, graceSeconds) =>
      unlessGone(() => deleteObject(requests.json, podPath(sessionId), { uid, graceSeconds })),
    createSecret: (manifest, signal) =>
      unless(alreadyThere, undefined, async () => void (await create(`${core}/secrets`, manifest, signal))),
    deleteSecret: (name) =>
      unless(notFound, undefined, () => deleteObject(requests.json, `${core}/secrets/${name}`, null)),
    createNetworkPolicy: (manifest, signal) =>
      unless(alreadyThere, undefined, async () => {
        await create(`/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`, manifest, signal);
      }),
    listPods: (selector, signal) => listAll(requests.json, `${core}/pods`, selector, signal),
    async watchPods(selector, resourceVersion, onEvent, signal) {
      const query = {
        watch: 'true',
        labelSelector: selector,
        resourceVersion,
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(watchSeconds),
      };
      return withinLimit(watchSeconds * 1000 + watchMarginMs, signal, async (limited) => {
        const asked = { method: 'GET', path: `${core}/pods`, query, signal: limited } as const;
        let version = resourceVersion;
        for await (const line of readTextLines(await requests.stream(asked))) {
          version = takeLine(line, onEvent) ?? version;
        }
        return version;
      });
    },
    readLog: (sessionId, container, tailBytes) =>
      unless(notStarted, '', () =>
        unless(notFound, '', async () => {
          // No line is shorter than a byte, so this many lines hold at least the requested bytes.
          const query = { container, tailLines: String(tailBytes) };
          return withinLimit(logTimeoutMs, undefined, async (signal) =>
            readTail(
              await requests.stream({ method: 'GET', path: `${podPath(sessionId)}/log`, query, signal }),
              tailBytes,
            ),
          );
        }),
      ),
    close: () => requests.close(),
  };
}

/** The version in a line of a watch, if any. Throws ClusterError for an error that the server sent. */
function takeLine(line: string, onEvent: (event: PodEvent) => void): string | null {
  const event = watchLine.parse(JSON.parse(line));
  switch (event.type) {
    case 'ERROR':
      throw new ClusterError(event.object.code, event.object.message);
    case 'BOOKMARK':
      return event.object.metadata.resourceVersion;
    default:
      onEvent({ type: event.type, pod: event.object });
      return event.object.metadata.resourceVersion;
  }
}

type Json = (asked: ClusterRequest) => Promise<unknown>;

async function deleteObject(
  json: Json,
  path: string,
  pod: { uid: string; graceSeconds: number | null } | null,
): Promise<void> {
  const body = {
    propagationPolicy: 'Background',
    ...(pod === null ? {} : { preconditions: { uid: pod.uid } }),
    ...(pod === null || pod.graceSeconds === null ? {} : { gracePeriodSeconds: pod.graceSeconds }),
  };
  await json({ method: 'DELETE', path, body });
}

async function listAll(
  json: Json,
  path: string,
  labelSelector: string,
  signal?: AbortSignal,
): Promise<PodList> {
  const pods: Pod[] = [];
  let next = '';
  while (true) {
    const query = { labelSelector, limit: String(pageSize), ...(next === '' ? {} : { continue: next }) };
    const { items, metadata } = listPage.parse(await json({ method: 'GET', path, query, signal }));
    pods.push(...items);
    next = metadata.continue ?? '';
    if (next === '') {
      return { pods, resourceVersion: metadata.resourceVersion };
    }
  }
}

/** Work on the Pod with one uid: it may be deleted, and another may have its name by now. */
const unlessGone = (work: () => Promise<void>) =>
  unless(notFound, undefined, () => unless(conflict, undefined, work));

/** The result of `work`, or `otherwise` for this error of the cluster. */
async function unless<Result, Otherwise>(
  isAnswer: (error: ClusterError) => boolean,
  otherwise: Otherwise,
  work: () => Promise<Result>,
): Promise<Result | Otherwise> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClusterError && isAnswer(error)) {
      return otherwise;
    }
    throw error;
  }
}
