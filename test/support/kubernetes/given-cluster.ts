/** An external cluster, named by KUBECONFIG. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineCommand, runEngine } from '../container-engine.ts';
import type { TestCluster } from './test-cluster.ts';

const pushTimeoutMs = 300_000;

/**
 * Null without KUBECONFIG. TEST_HOST_ADDRESS and TEST_IMAGE_PREFIX say what a cluster elsewhere cannot know.
 */
export function givenCluster(environment: NodeJS.ProcessEnv): TestCluster | null {
  const { KUBECONFIG, TEST_HOST_ADDRESS, TEST_IMAGE_PREFIX } = environment;
  if (!KUBECONFIG) {
    return null;
  }
  return {
    kubeconfig: KUBECONFIG,
    get hostAddress() {
      return required('TEST_HOST_ADDRESS', TEST_HOST_ADDRESS, 'the address of this host for a Pod');
    },
    registryAddress: null,
    importImage: (name) =>
      push(
        name,
        required('TEST_IMAGE_PREFIX', TEST_IMAGE_PREFIX, 'where images are pushed to for the nodes'),
      ),
    trustRegistry(host) {
      throw new Error(`the nodes of the cluster that KUBECONFIG names cannot be told about ${host}`);
    },
    stop: async () => undefined,
  };
}

function required(name: string, value: string | undefined, meaning: string): string {
  if (!value) {
    throw new Error(`with KUBECONFIG, tests also need ${name}: ${meaning}`);
  }
  return value;
}

async function push(name: string, prefix: string): Promise<string> {
  const target = `${prefix}/${name.replace(/^.*\//, '')}`;
  const repository = target.replace(/:[^/:]+$/, '');
  await runEngine(['tag', name, target]);
  const digest =
    engineCommand([]).program === 'podman' ? await pushWithPodman(target) : await pushWithDocker(target);
  return `${repository}@${digest}`;
}

/** podman's own digest of a pushed image is that of its local copy, which is not compressed. */
async function pushWithPodman(target: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'push-'));
  try {
    const file = join(directory, 'digest');
    await runEngine(['push', '--digestfile', file, target], { timeoutMs: pushTimeoutMs });
    return readFileSync(file, 'utf8').trim();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function pushWithDocker(target: string): Promise<string> {
  const [, digest] =
    /digest: (sha256:[0-9a-f]{64})/.exec(await runEngine(['push', target], { timeoutMs: pushTimeoutMs })) ??
    [];
  if (digest === undefined) {
    throw new Error(`${target} was pushed and has no digest`);
  }
  return digest;
}
