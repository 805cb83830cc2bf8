/** A cluster that somebody else runs, named by KUBECONFIG. */
import { runEngine } from '../container-engine.ts';
import type { TestCluster } from './test-cluster.ts';

/** Null without KUBECONFIG. TEST_HOST_ADDRESS and TEST_IMAGE_PREFIX say what a cluster elsewhere cannot know. */
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
  await runEngine(['tag', name, target]);
  await runEngine(['push', target], { timeoutMs: 300_000 });
  const digests = await runEngine([
    'inspect',
    '--format',
    '{{range .RepoDigests}}{{println .}}{{end}}',
    target,
  ]);
  const repository = target.replace(/:[^/:]+$/, '');
  const pinned = digests.split('\n').find((line) => line.startsWith(`${repository}@`));
  if (pinned === undefined) {
    throw new Error(`${target} was pushed and has no digest`);
  }
  return pinned;
}
