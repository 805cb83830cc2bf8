/** What a session's containers see of each other and of the cluster, looked at from inside. */
import { describe, expect, it } from '@jest/globals';
import { openCluster } from '../../../runtime/kubernetes/cluster.ts';
import { bootSecretName, labelKeys, podName } from '../../../runtime/kubernetes/names.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { containerIn, node, stays } from '../runtime/driver-under-test.ts';
import { describeOnKubernetes } from './kubernetes-driver.ts';
import { sessionsOnCluster } from './sessions.ts';

/** Prints what an agent finds as one line of JSON. */
const probe =
  String.raw`
const fs = require('node:fs'), net = require('node:net'), dgram = require('node:dgram'), os = require('node:os');
const attempt = (work) => { try { return String(work() ?? 'done'); } catch (error) { return error.code ?? String(error); } };
const connect = (options) => new Promise((resolve) => {
  try { net.connect(options).on('connect', () => resolve('connected')).on('error', (error) => resolve(error.code)); } catch (error) { resolve(error.code); }
});
const udp = () => new Promise((resolve) => {
  try { const socket = dgram.createSocket('udp4'); socket.on('error', (error) => resolve(error.code)); socket.bind(0, () => resolve('bound')); } catch (error) { resolve(error.code); }
});
const walk = (directory) => { try { return fs.readdirSync(directory, { recursive: true }).map(String).sort(); } catch (error) { return error.code; } };
(async () => {
  console.log(JSON.stringify({
    env: process.env, backwards: [...(process.env.MINE ?? '')].reverse().join(''), uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(),
    platform: walk('/run/platform'), report: walk('/run/platform-report'), session: walk('/run/platform-session'), boot: walk('/run/platform-boot'),
    serviceAccount: walk('/var/run/secrets'),
    processes: fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((pid) => attempt(() => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').replaceAll('\0', ' '))),
    status: fs.readFileSync('/proc/self/status', 'utf8').split('\n').filter((line) => /^(Cap|NoNewPrivs|Seccomp:)/.test(line)),
    writes: Object.fromEntries(['/etc/x', '/opt/platform/bin/relay', '/run/platform/mcp/x.sock', '/run/platform/agent/x', '/workspace/x', '/tmp/x'].map((path) => [path, attempt(() => fs.writeFileSync(path, 'x'))])),
    unlink: attempt(() => fs.unlinkSync('/run/platform/agent/sidecar.sock')),
    control: await connect({ host: '127.0.0.1', port: 7070 }),
    outside: await connect({ host: '1.1.1.1', port: 443 }),
    udp: await udp(),
    sidecar: await connect({ path: '/run/platform/agent/sidecar.sock' }),
  }));
})();
` + stays;

interface Seen {
  env: Record<string, string>;
  /** The agent's secret reversed, since it is redacted as it is. */
  backwards: string;
  uid: number;
  gid: number;
  groups: number[];
  platform: string[];
  report: string[];
  session: string;
  boot: string;
  serviceAccount: string;
  processes: string[];
  status: string[];
  writes: Record<string, string>;
  unlink: string;
  control: string;
  outside: string;
  udp: string;
  sidecar: string;
}

const secret = (name: string) => ({ kind: 'secret' as const, secret_name: name, secret_version: 1 });

describeOnKubernetes('a session on a cluster', () => {
  const sessions = sessionsOnCluster();
  const frozenWith = (changes: Parameters<typeof sessions.prepare>[0]) =>
    sessions.prepare({
      servers: [serverNamed('one', { env: { TOKEN: secret('T') } }), serverNamed('two')],
      ...changes,
    });
  const secrets = { agentEnv: { MINE: 'value-of-the-agent' }, serverEnv: { one: { TOKEN: 'value-of-one' } } };
  const look = async (network: 'none' | 'internet'): Promise<{ id: string; seen: Seen; text: string }> => {
    const frozen = frozenWith({ agent: { ...node(probe), network, env: { MINE: secret('M') } } });
    const id = await sessions.start(frozen, secrets);
    const text = await eventually(async () => {
      const log = await sessions.runtime().logs(id, 'agent', 200_000);
      expect(log).toContain('"sidecar"');
      return log;
    });
    return { id, seen: JSON.parse(text), text };
  };

  it('exposes to the agent its own sockets and environment only', async () => {
    const { id, seen, text } = await look('none');
    expect(seen.env).toMatchObject({ MINE: '[secret]', PLATFORM_SESSION_ID: id });
    expect(seen.backwards).toBe([...'value-of-the-agent'].reverse().join(''));
    for (const foreign of ['value-of-one', `token-of-${id}`, `key-of-${id}`]) {
      expect(text).not.toContain(foreign);
    }
    expect(seen).toMatchObject({
      uid: 20_000,
      gid: 20_000,
      session: 'ENOENT',
      boot: 'ENOENT',
      serviceAccount: 'ENOENT',
    });
    expect([...seen.groups].sort()).toEqual([10_000, 20_000]);
    expect(seen.platform).toEqual([
      'agent',
      'agent/config.json',
      'agent/sidecar.sock',
      'mcp',
      'mcp/one.sock',
      'mcp/platform.sock',
      'mcp/two.sock',
    ]);
    expect(seen.report).toEqual(['.report.sock']);
    expect(seen.processes.filter((each) => each.includes('sidecar.js'))).toEqual([]);
    expect(seen.status).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^CapEff:\t0+$/),
        expect.stringMatching(/^CapBnd:\t0+$/),
        'NoNewPrivs:\t1',
        'Seccomp:\t2',
      ]),
    );
  });

  it('restricts its writes to its own scratch space, and gives it no network where none is configured', async () => {
    const { seen } = await look('none');
    expect(seen.writes).toEqual({
      '/etc/x': 'EROFS',
      '/opt/platform/bin/relay': expect.stringMatching(/^(EROFS|EACCES)$/),
      '/run/platform/mcp/x.sock': 'EROFS',
      '/run/platform/agent/x': 'EROFS',
      '/workspace/x': 'done',
      '/tmp/x': 'done',
    });
    expect(seen.unlink).toBe('EROFS');
    expect(seen).toMatchObject({
      control: 'EAFNOSUPPORT',
      outside: 'EAFNOSUPPORT',
      udp: 'EAFNOSUPPORT',
      sidecar: 'connected',
    });
  });

  it('cuts the agent off from the control port, also where it has a network', async () => {
    const script = `require('node:http').get('http://127.0.0.1:7070/health', (r) => console.log('answered', r.statusCode))
      .on('error', (error) => console.log('refused', error.code)); ${stays}`;
    const id = await sessions.start(frozenWith({ agent: { ...node(script), network: 'internet' } }), secrets);
    await eventually(async () => {
      expect(await sessions.runtime().logs(id, 'agent', 1000)).toMatch(/^refused ECONNRESET/);
    });
  });

  it('keeps secrets out of the Pod, and deletes them from the cluster once the containers have them', async () => {
    const frozen = frozenWith({ agent: { ...node(stays), env: { MINE: secret('M') } } });
    const id = await sessions.start(frozen, secrets);
    const [pod] = await sessions.driver.admin().listPods(id);
    const text = JSON.stringify(pod);
    for (const value of ['value-of-one', 'value-of-the-agent', `token-of-${id}`, `key-of-${id}`]) {
      expect(text).not.toContain(value);
    }
    expect(text).toContain('secretKeyRef');
    const left = await sessions.driver.admin().listSecrets(id);
    const launch = pod?.metadata?.labels?.[labelKeys.launch] ?? '';
    expect(left.map(({ metadata }) => metadata?.name)).toEqual([bootSecretName(id, launch)]);
    expect(left[0]).toMatchObject({
      immutable: true,
      metadata: { ownerReferences: [{ uid: pod?.metadata?.uid }] },
    });
  });

  it('shares no memory, and no socket in memory, between its containers', async () => {
    const leaves = `const path = '/dev/shm/left.sock'; require('node:net').createServer()
      .listen(path, () => console.log('listens'));`;
    const looks = `const fs = require('node:fs'); setInterval(() => console.log(JSON.stringify({
      found: fs.readdirSync('/dev/shm'), memory: fs.readFileSync('/proc/self/mountinfo', 'utf8').includes(' /dev/shm ')
    })), 200);`;
    const peer = { name: 'peer', run: node(looks).run, env: {}, image: null };
    const id = await sessions.start(frozenWith({ agent: node(leaves), siblings: [peer] }), secrets);
    await eventually(async () => {
      expect(await sessions.runtime().logs(id, 'agent', 1000)).toContain('listens');
    });
    const from = (await sessions.runtime().logs(id, 'sibling-peer', 100_000)).length;
    await eventually(async () => {
      const log = await sessions.runtime().logs(id, 'sibling-peer', 100_000);
      const [, last = '{}'] = log.slice(from).trimEnd().split('\n');
      expect(JSON.parse(last)).toEqual({ found: [], memory: true });
    });
  });

  it('reports a container that exceeded its memory limit', async () => {
    const greedy = 'const all = []; while (true) { all.push(Buffer.alloc(16 * 1024 * 1024, 1)); }';
    const id = await sessions.start(frozenWith({ agent: node(greedy) }), secrets);
    await eventually(async () => {
      const state = await sessions.runtime().inspect(id);
      expect(containerIn(state, 'agent')).toMatchObject({
        state: 'exited',
        exitCode: 137,
        reason: expect.stringMatching(/^it used more than the \d+ MiB of memory that it may use$/),
      });
    });
  });

  it('reports the reason when an administrator drains the node', async () => {
    const id = await sessions.start(frozenWith({}), secrets);
    const { namespace } = sessions.driver;
    const name = podName(id);
    const eviction = { metadata: { name, namespace }, deleteOptions: { gracePeriodSeconds: 1 } };
    await sessions.driver.admin().core.createNamespacedPodEviction({ name, namespace, body: eviction });
    await eventually(async () =>
      expect(await sessions.runtime().inspect(id)).toMatchObject({
        state: 'lost',
        reason: expect.stringMatching(/^its node is being emptied: /),
      }),
    );
    await sessions.runtime().stop(id);
    expect(await sessions.driver.running(id)).toEqual([]);
  });

  describe('as its worker', () => {
    it('works without the right to read a Secret, or any right in other namespaces', async () => {
      const id = await sessions.start(frozenWith({}), secrets);
      const { openWorker } = sessions.driver;
      const { core, name } = await openWorker(id);
      const { namespace } = sessions.driver;
      const forbidden = { code: 403 };
      await expect(core.readNamespacedSecret({ name, namespace })).rejects.toMatchObject(forbidden);
      await expect(core.listNamespacedSecret({ namespace })).rejects.toMatchObject(forbidden);
      await expect(core.listNamespacedPod({ namespace: 'kube-system' })).rejects.toMatchObject(forbidden);
      await expect(core.listNode()).rejects.toMatchObject(forbidden);
      await sessions.runtime().stop(id);
      expect(await sessions.driver.running(id)).toEqual([]);
    });
  });

  it('is refused by a configuration that cannot be read', async () => {
    await expect(openCluster({ kubeconfig: '/nowhere/kubeconfig', namespace: 'x' })).rejects.toThrow(
      'ENOENT',
    );
  });
});
