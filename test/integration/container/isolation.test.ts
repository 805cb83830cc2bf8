/** What a hostile program sees and reaches inside a container of a session. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { requirePlatformImages } from '../../support/platform-images.ts';
import { node, stays } from '../runtime/driver-under-test.ts';
import { type Reports, takeReports } from '../runtime/reports.ts';
import { containerDriver, gatewayOf } from './container-driver.ts';
import { createSessions, parseSeen, probe } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

const internet = { network: 'internet' as const };
const unreachable = /^(ENETUNREACH|EHOSTUNREACH|EACCES|EPERM|EINVAL)$/;
const privateAddresses = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
];

describeInContainers('inside a session’s containers', () => {
  const driver = containerDriver();
  let reports: Reports;
  let runtime: Runtime<SessionPlan>;
  const sessions = createSessions(() => runtime);
  beforeAll(async () => {
    await driver.begin();
    reports = await takeReports(await driver.hostAddress());
    runtime = await driver.open(reports.url);
  });
  afterAll(async () => {
    await sessions.stopAll();
    await reports.close();
    await driver.end();
  });
  const addressOf = async (sessionId: string, container: string, network: string) => {
    const { NetworkSettings } = await driver
      .docker()
      .getContainer(driver.nameOf(sessionId, container))
      .inspect();
    return NetworkSettings.Networks[network]?.IPAddress ?? '';
  };
  const hostPort = () => new URL(reports.url).host;

  it('an agent has no privileges, and can write only to its own scratch space', async () => {
    const id = await sessions.start(sessions.prepare({ agent: probe([]), servers: [serverNamed('files')] }));
    const seen = await sessions.seen(id);
    expect(seen.uid).toBe(20_000);
    expect([...seen.groups].sort()).toEqual([10_000, 20_000]);
    expect(new Set(seen.capabilities)).toEqual(new Set(['0000000000000000']));
    expect([seen.noNewPrivileges, seen.seccomp]).toEqual(['1', '2']);
    const { '/workspace/x': workspace, '/tmp/x': temporary, ...others } = seen.writes;
    expect([workspace, temporary]).toEqual(['done', 'done']);
    for (const code of [...Object.values(others), seen.removes]) {
      expect(code).toMatch(/^(EROFS|EACCES|EPERM|ENOENT)$/);
    }
    expect(seen.fills).toBe('ENOSPC');
    expect(seen.devices).toMatch(/^(EPERM|EACCES|ENOENT)$/);
  });

  it('an agent sees its own sockets and processes, and no secret, token or engine', async () => {
    const frozen = sessions.prepare({ agent: probe([]), servers: [serverNamed('files')] });
    const id = await sessions.start(frozen, { serverEnv: { files: { TOKEN: 'only-for-the-server' } } });
    const seen = await sessions.seen(id);
    // In images of Debian /var/run is /run by another name.
    const files = [...new Set(seen.files.map((path) => path.replace(/^\/var\/run\//, '/run/')))];
    expect(files.filter((path) => path.endsWith('.sock')).sort()).toEqual([
      '/run/platform-report/.report.sock',
      '/run/platform/agent/sidecar.sock',
      '/run/platform/mcp/files.sock',
      '/run/platform/mcp/platform.sock',
    ]);
    expect(files.filter((path) => /^\/run\/platform-(?!report\/).+\//.test(path))).toEqual([]);
    expect(seen.processes.every((name) => name === 'node' || name === '/opt/platform/bin/relay')).toBe(true);
    expect(seen.processes.length).toBeLessThanOrEqual(2);
    for (const value of ['only-for-the-server', `token-of-${id}`, `key-of-${id}`]) {
      expect(JSON.stringify(seen)).not.toContain(value);
    }
  });

  it('an agent without a network reaches neither its sidecar’s control port, the API nor anything else', async () => {
    const other = await sessions.start(sessions.prepare());
    const sidecar = await runtime.sidecarHost(other);
    const targets = [`${sidecar}:7070`, hostPort(), '127.0.0.1:7070', '169.254.169.254:80', '1.1.1.1:53'];
    const seen = await sessions.seen(
      await sessions.start(sessions.prepare({ agent: probe(targets, privateAddresses) })),
    );
    expect(seen.interfaces).toEqual(['lo']);
    expect(Object.values(seen.connects)).not.toContain('connected');
    expect(Object.keys(seen.connects)).toHaveLength(targets.length);
    expect(Object.values(seen.routes)).not.toContain('routed');
  });

  it('with internet it reaches the internet, and no private addresses, this machine, sidecars or other sessions', async () => {
    const listens = "require('node:net').createServer().listen(9999, '0.0.0.0');";
    const other = await sessions.start(sessions.prepare({ agent: { ...node(listens), ...internet } }));
    const targets = [
      `${await addressOf(other, 'net-agent', driver.settings.internetNetwork)}:9999`,
      `${await runtime.sidecarHost(other)}:7070`,
      hostPort(),
      `${await gatewayOf(driver.docker(), driver.settings.internetNetwork)}:${new URL(reports.url).port}`,
      '169.254.169.254:80',
    ];
    const agent = { ...probe(targets, [...privateAddresses, '8.8.8.8', '192.0.2.53']), ...internet };
    const seen = await sessions.seen(await sessions.start(sessions.prepare({ agent })));
    expect(Object.keys(seen.connects)).toHaveLength(targets.length);
    for (const result of Object.values(seen.connects)) {
      expect(result).toMatch(unreachable);
    }
    const { '8.8.8.8': open, '192.0.2.53': resolver, ...closed } = seen.routes;
    expect([open, resolver]).toEqual(['routed', 'routed']);
    for (const result of Object.values(closed)) {
      expect(result).toMatch(unreachable);
    }
    // The control: what the network policy blocks exists.
    expect(await withoutNetworkPolicy(targets)).toMatchObject({ [targets[3] ?? '']: 'connected' });
  });

  /** From a container in the same network that has no network policy. */
  async function withoutNetworkPolicy(targets: string[]): Promise<Record<string, string>> {
    const { run, env } = probe(targets);
    const Labels = { 'gatepost.internal/installation': driver.installation };
    const container = await driver.docker().createContainer({
      Image: requirePlatformImages().runner,
      Entrypoint: [run.command, ...run.args],
      Cmd: [],
      Env: [`TARGETS=${env.TARGETS.value}`],
      Labels,
      HostConfig: { NetworkMode: driver.settings.internetNetwork },
    });
    try {
      await container.start();
      return await eventually(async () => {
        const log = await container.logs({ stdout: true, stderr: true, follow: false });
        return parseSeen(log.subarray(8).toString()).connects;
      });
    } finally {
      await container.remove({ force: true });
    }
  }

  it('a sibling has a network of its own, and no socket but its two', async () => {
    const listens = `require('node:net').createServer().listen(9000, '127.0.0.1'); ${stays}`;
    const finds = `const net = require('node:net'); net.connect(9000, '127.0.0.1')
      .on('connect', () => process.exit(1)).on('error', ({ code }) => process.exit(code === 'ECONNREFUSED' ? 0 : 2));`;
    const { run, env } = probe([]);
    const siblings = [
      { name: 'db', run: node(finds).run, env: {}, image: null },
      { name: 'probe', run, env, image: null, port: 5432 },
    ];
    const id = await sessions.start(sessions.prepare({ agent: node(listens), siblings }));
    expect(await sessions.exit(id, 'sibling-db')).toMatchObject({ exitCode: 0 });
    const seen = await sessions.seen(id, 'sibling-probe');
    expect(seen.files.filter((path) => path.startsWith('/run/platform/'))).toEqual([]);
    const reports = /^(\/var)?\/run\/platform-report(\/\.(report|agent)\.sock)?$/;
    expect(seen.files.filter((path) => path.includes('/run/platform') && !reports.test(path))).toEqual([]);
    expect(seen.uid).toBe(20_002);
  });
});
