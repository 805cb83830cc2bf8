/**
 * The cluster that tests get: Pods of the platform's images run on it and reach this host; it survives
 * what fault tests do to it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { pushImage, startDockerRegistry } from '../../support/docker-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { waitingImage } from '../../support/kubernetes/node-images.ts';
import { makeNamespace, type TestNamespace } from '../../support/kubernetes/pods.ts';
import {
  clusterTimeoutMs,
  hasKubernetes,
  hasOwnKubernetes,
  startOwnTestCluster,
  startTestCluster,
  type TestCluster,
} from '../../support/kubernetes/test-cluster.ts';
import { platformImages, requirePlatformImages } from '../../support/platform-images.ts';
import { processesMentioning } from '../../support/processes.ts';

const hasImages = platformImages !== null;

(hasKubernetes && hasImages ? describe : describe.skip)('the cluster of the tests', () => {
  let cluster: TestCluster;
  let namespace: TestNamespace;
  let scripted: string;
  beforeAll(async () => {
    cluster = await startTestCluster();
    namespace = await makeNamespace(cluster.kubeconfig);
    scripted = await cluster.importImage(requirePlatformImages().scripted);
  }, clusterTimeoutMs);
  afterAll(async () => {
    await namespace?.remove();
    await cluster?.stop();
  });

  it('runs an image of the container engine by its digest, and the Pod reaches this host', async () => {
    expect(scripted).toMatch(/@sha256:[0-9a-f]{64}$/);
    const server = createServer((_request, response) => response.end('from the host'));
    server.listen(0, cluster.hostAddress);
    await once(server, 'listening');
    try {
      const address = z.object({ port: z.int() }).parse(server.address());
      const url = `http://${cluster.hostAddress}:${address.port}`;
      const code = `fetch('${url}').then((answer) => answer.text()).then(console.log)`;
      const pod = await namespace.startPod({ image: scripted, command: ['node', '-e', code] });
      expect(await namespace.waitFor(pod, 'Succeeded')).toBe('from the host\n');
    } finally {
      server.close();
    }
  });

  it('returns immediately when the same image is loaded again', async () => {
    expect(await cluster.importImage(requirePlatformImages().scripted)).toBe(scripted);
  });

  it('refuses a Pod that the standard "restricted" does not admit', async () => {
    const open = namespace.startPod({ image: scripted, securityContext: {} });
    await expect(open).rejects.toMatchObject({ code: 403 });
  });
});

const programsDirectory = z.object({ programs: z.string() });

(hasOwnKubernetes ? describe : describe.skip)('a cluster of one test’s own', () => {
  let cache: string | null = null;
  afterAll(() => {
    if (cache !== null) {
      rmSync(cache, { recursive: true });
    }
  });
  const pauseProgram = () => {
    const { programs } = programsDirectory.parse(JSON.parse(readFileSync('.cache/kubernetes.json', 'utf8')));
    return waitingImage(readFileSync(join(programs, 'pause')));
  };

  it(
    'pulls by digest from a registry that requires a password, and recovers when its components are killed',
    async () => {
      const storage = mkdtempSync(join(tmpdir(), 'registry-storage-'));
      const cluster = await startOwnTestCluster();
      const image = pauseProgram();
      const open = await startDockerRegistry(storage);
      await pushImage(open.host, 'team/waiting', '1', image);
      await open.stop();
      const file = join(storage, 'htpasswd');
      // bcrypt of "the-password", with the fewest rounds.
      writeFileSync(file, 'ada:$2b$04$GW4JYP9Idmc0nJq.ORPTGecWkpjMzTR.VTDDMsPgSPPoZB0wNu0w6\n');
      const closed = await startDockerRegistry(storage, { auth: { htpasswd: { realm: 'x', path: file } } });
      try {
        cluster.trustRegistry(closed.host);
        const { api, name, startPod, waitFor } = await makeNamespace(cluster.kubeconfig);
        const auths = { [closed.host]: { auth: Buffer.from('ada:the-password').toString('base64') } };
        await api.createNamespacedSecret({
          namespace: name,
          body: {
            metadata: { name: 'registry' },
            type: 'kubernetes.io/dockerconfigjson',
            stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
          },
        });
        const reference = `${closed.host}/team/waiting@${image.digest}`;
        const withPassword = { imagePullSecrets: [{ name: 'registry' }] };
        await waitFor(await startPod({ image: reference }, withPassword), 'Running');

        for (const part of ['kubelet', 'containerd', 'kube-apiserver', 'etcd'] as const) {
          await cluster.killPart(part);
          await cluster.startPart(part);
        }
        await waitFor(await startPod({ image: reference }, withPassword), 'Running');
      } finally {
        await closed.stop();
        await cluster.stop();
        rmSync(storage, { recursive: true });
      }
    },
    2 * clusterTimeoutMs,
  );

  it(
    'is completely removed by the next one when the process that started it was killed',
    async () => {
      const own = mkdtempSync(join(tmpdir(), 'clusters-'));
      cache = own;
      const killed = await runCluster(own);
      const bridge = bridgeOf(killed.directory);
      expect(bridge.index).not.toBeNull();
      await killed.end('SIGKILL');
      expect(existsSync(killed.directory)).toBe(true);

      const next = await runCluster(own);
      expect(next.directory).toBe(killed.directory);
      const nextBridge = bridgeOf(next.directory);
      await next.end('SIGTERM');
      expect(existsSync(next.directory)).toBe(false);
      expect(await processesMentioning(`${own}/`)).toEqual([]);
      expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(own);
      for (const { name, index } of [bridge, nextBridge]) {
        await eventually(() => {
          const rules = execFileSync('iptables-save', { encoding: 'utf8' });
          const current = indexOfInterface(name);
          expect(current).not.toBe(index);
          // A cluster of another test may have taken the name since; then the rules are its own.
          if (current === null) {
            expect(rules).not.toContain(name);
          }
        });
      }
    },
    2 * clusterTimeoutMs,
  );
});

/** The cluster of another process, with a cache directory of its own. */
async function runCluster(cache: string) {
  const owner = spawn(process.execPath, ['--import', 'tsx', 'test/support/kubernetes/run-cluster.ts'], {
    env: { ...process.env, XDG_CACHE_HOME: cache, KUBECONFIG: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(owner, 'exit');
  const lines = createInterface({ input: owner.stdout });
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  const [, kubeconfig] = /^export KUBECONFIG=(.*)$/.exec(String(line)) ?? [];
  if (kubeconfig === undefined) {
    throw new Error('no cluster was started');
  }
  return {
    directory: dirname(kubeconfig),
    async end(signal: NodeJS.Signals) {
      owner.kill(signal);
      await ended;
    },
  };
}

const place = z.object({ bridge: z.string() });
function bridgeOf(directory: string): { name: string; index: number | null } {
  const { bridge: name } = place.parse(JSON.parse(readFileSync(join(directory, 'place.json'), 'utf8')));
  return { name, index: indexOfInterface(name) };
}

/** The kernel never gives two interfaces the same index; null where there is none of that name. */
function indexOfInterface(name: string): number | null {
  const file = `/sys/class/net/${name}/ifindex`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
}
