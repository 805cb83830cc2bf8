/** A whole one-node cluster: started until a Pod can run, and removed whatever state it is in. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFromApiServer } from './api-server.ts';
import { writeNodeFiles } from './node-files.ts';
import { importPauseImage } from './node-images.ts';
import { openNetwork, removeNetwork } from './node-network.ts';
import {
  ctrArguments,
  isPartRunning,
  killPart,
  killThoseIn,
  type Part,
  parts,
  startPart,
} from './node-parts.ts';
import type { NodePlace } from './node-place.ts';

const startTimeoutMs = 300_000;

/**
 * Starts every part and waits for a ready node. On failure, throws with the last lines of every log,
 * and removes the cluster.
 */
export async function startNode(place: NodePlace, programs: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  const start = (part: Part) => startPart(place, part, programs);
  try {
    openNetwork(place);
    writeNodeFiles(place);
    for (const part of ['etcd', 'containerd', 'docker-registry', 'kube-apiserver'] as const) {
      start(part);
    }
    await until(deadline, 'containerd answers', async () => containerdAnswers(place));
    await importPauseImage(place, readFileSync(join(programs, 'pause')));
    await until(deadline, 'the API server is ready', () => apiServerReady(place));
    for (const part of ['kube-controller-manager', 'kube-scheduler', 'kubelet'] as const) {
      start(part);
    }
    await until(deadline, 'a Pod can run', () => podsCanRun(place));
  } catch (error) {
    const text = parts.map((part) => `--- ${part}\n${lastLines(place, part)}`).join('\n');
    await removeNode(place);
    throw new Error(`No cluster was started: ${String(error)}\n${text}`);
  }
}

/** Restarts what has ended since, and waits until a Pod can run again. Throws when none can in time. */
export async function repairNode(place: NodePlace, programs: string): Promise<void> {
  for (const part of parts.filter((name) => !isPartRunning(place, name))) {
    startPart(place, part, programs);
  }
  await until(Date.now() + startTimeoutMs, 'a Pod can run', () => podsCanRun(place));
}

export async function apiServerReady(place: NodePlace): Promise<boolean> {
  return (await readFromApiServer(place, '/readyz')) !== null;
}

/** True when the node takes Pods, and namespaces get the account that Pods run under. */
export async function podsCanRun(place: NodePlace): Promise<boolean> {
  if (!containerdAnswers(place)) {
    return false;
  }
  const node = await readFromApiServer(place, '/api/v1/nodes/node');
  const account = await readFromApiServer(place, '/api/v1/namespaces/default/serviceaccounts/default');
  const ready = /"type":\s*"Ready",\s*"status":\s*"True"/;
  // The node's reported status may be stale after a kubelet or containerd was killed.
  const answers = (await readFromApiServer(place, '/api/v1/nodes/node/proxy/healthz')) === 'ok';
  return answers && account !== null && node !== null && ready.test(node.replaceAll('\n', ''));
}

function containerdAnswers(place: NodePlace): boolean {
  return spawnSync('ctr', [...ctrArguments(place), 'version']).status === 0;
}

async function until(deadline: number, what: string, check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) {
    if (Date.now() > deadline) {
      throw new Error(`waited for long enough until ${what}`);
    }
    await sleep(100);
  }
}

function lastLines(place: NodePlace, part: Part): string {
  try {
    const text = readFileSync(join(place.directory, `log/${part}.log`), 'utf8');
    return text.trim().split('\n').slice(-8).join('\n');
  } catch {
    return '(it was not started)';
  }
}

/**
 * Ends every process, container, mount and network of a cluster, also of a partially started one, and
 * removes its directory. Needs nothing to answer. The image store stays for the next one where
 * containerd could put it in order.
 */
export async function removeNode(place: NodePlace): Promise<void> {
  for (const part of parts.filter((name) => name !== 'containerd')) {
    await killPart(place, part);
  }
  const inOrder = removeContainers(place);
  await killPart(place, 'containerd');
  const runtimeRoot = join(place.directory, 'runc/k8s.io');
  for (const container of listed(runtimeRoot)) {
    spawnSync('runc', ['--root', runtimeRoot, 'delete', '--force', container]);
  }
  await killPart(place, 'containerd-shim-runc-v2');
  await killThoseIn(place);
  removeShimSockets(place);
  unmountBelow(place.directory);
  removeNetwork(place);
  if (!inOrder) {
    rmSync(place.imageDirectory, { recursive: true, force: true });
  }
  rmSync(place.directory, { recursive: true, force: true, maxRetries: 10 });
}

/**
 * From containerd's own records, which the next cluster would otherwise take for its Pods. False
 * when it does not answer.
 */
function removeContainers(place: NodePlace): boolean {
  const ctr = (...args: string[]) =>
    spawnSync('ctr', [...ctrArguments(place), ...args], { encoding: 'utf8', timeout: 20_000 });
  for (const kind of ['tasks', 'containers']) {
    const list = ctr(kind, 'list', '--quiet');
    const ids = list.status === 0 ? list.stdout.split('\n').filter((id) => id !== '') : [];
    if (ids.length > 0) {
      ctr(kind, 'delete', ...(kind === 'tasks' ? ['--force'] : []), ...ids);
    }
  }
  const left = ctr('containers', 'list', '--quiet');
  return left.status === 0 && left.stdout.trim() === '';
}

/** A shim that is killed leaves its socket outside of the cluster's directory. */
function removeShimSockets(place: NodePlace): void {
  const tasks = join(place.directory, 'containerd/io.containerd.runtime.v2.task/k8s.io');
  for (const task of listed(tasks)) {
    try {
      rmSync(readFileSync(join(tasks, task, 'address'), 'utf8').replace(/^unix:\/\//, ''), { force: true });
    } catch {
      // It had none yet.
    }
  }
}

/** The deepest first. A busy mount is detached now and removed with its last user. */
function unmountBelow(directory: string): void {
  const mounted = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((target) => target.startsWith(`${directory}/`));
  for (const target of mounted.toSorted().toReversed()) {
    spawnSync('umount', ['--lazy', target]);
  }
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
