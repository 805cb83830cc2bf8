/**
 * Remote MCP servers in containers: the real bridge, a real server on this machine, and
 * what their networks lead to.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { remoteNamed } from '../../support/frozen-configuration.ts';
import { requirePlatformImages } from '../../support/platform-images.ts';
import { greeting, type RemoteMcpServer, startRemoteMcpServer } from '../../support/remote-mcp-server.ts';
import { callsTool, node } from '../runtime/driver-under-test.ts';
import { accessTokenOf, type Reports, takeReports } from '../runtime/reports.ts';
import { containerDriver } from './container-driver.ts';
import { createSessions, internetGateway, parseSeen, probe } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

const name = 'mcp.internal';

describeInContainers('a remote MCP server in containers', () => {
  const driver = containerDriver();
  let reports: Reports;
  let server: RemoteMcpServer;
  let unlisted: RemoteMcpServer;
  let gateway: string;
  let runtime: Runtime<SessionPlan>;
  const sessions = createSessions(() => runtime);

  beforeAll(async () => {
    await driver.begin();
    reports = await takeReports(await driver.hostAddress());
    server = await startRemoteMcpServer('0.0.0.0');
    unlisted = await startRemoteMcpServer('0.0.0.0');
    runtime = await driver.open(reports.url);
    gateway = await internetGateway(driver, sessions);
    runtime = await driver.openWith(reports.url, {
      workload: {
        privateHosts: new Map([
          [`${gateway}:${server.port}`, 'http'],
          [`${name}:${server.port}`, 'http'],
          [`nowhere.internal:${server.port}`, 'http'],
        ]),
      },
      resolveName: async (asked) => (asked === name ? [{ address: gateway, family: 4 }] : []),
    });
  });
  afterAll(async () => {
    await sessions.stopAll();
    await Promise.all([server, unlisted, reports].map((each) => each.close()));
    await driver.end();
  });

  const shapeAt = (host: string, { port }: RemoteMcpServer) => ({
    type: 'remote' as const,
    url: `http://${host}:${port}/mcp`,
  });
  const start = (...[host, at]: Parameters<typeof shapeAt>) =>
    sessions.start(
      sessions.prepare({
        agent: node(callsTool('far', 'greet')),
        servers: [remoteNamed('far', { shape: shapeAt(host, at), sign_in: 'oauth', tool_scopes: {} })],
      }),
    );
  const answerIn = (id: string) =>
    eventually(async () => {
      const log = await runtime.logs(id, 'agent', 100_000);
      expect(log).toContain('TOLD ');
      return log;
    });

  it('is called at the address that the operator listed, with an access token of the sidecar', async () => {
    const id = await start(gateway, server);
    expect(await answerIn(id)).toContain(greeting);
    expect(server.headers.at(-1)).toMatchObject({
      host: `${gateway}:${server.port}`,
      authorization: `Bearer ${accessTokenOf(id)}`,
    });
    expect(reports.of(id, 'access-tokens')[0]).toMatchObject({ body: { server: 'far' } });
  });

  it('is called by its name, which the worker looked up', async () => {
    expect(await answerIn(await start(name, server))).toContain(greeting);
    expect(server.headers.at(-1)).toMatchObject({ host: `${name}:${server.port}` });
  });

  it('is not reached at another port, and the agent is told which setting says so', async () => {
    expect(await answerIn(await start(gateway, unlisted))).toContain('PRIVATE_MCP_HOSTS');
    expect(unlisted.headers).toEqual([]);
  });

  it('keeps a session from starting while its listed host has no address', async () => {
    await expect(start('nowhere.internal', server)).rejects.toThrow(
      'nowhere.internal of PRIVATE_MCP_HOSTS has no address',
    );
  });

  it('leads nowhere private but to its own host and port, whatever runs in its network', async () => {
    const id = await start(gateway, server);
    const targets = [
      `${gateway}:${server.port}`,
      `${gateway}:${unlisted.port}`,
      new URL(reports.url).host,
      `${await runtime.sidecarHost(id)}:7070`,
      '169.254.169.254:80',
      `10.1.2.3:${server.port}`,
    ];
    const { [targets[0] ?? '']: own, ...others } = await connectsFrom(
      driver.nameOf(id, 'net-mcp-far'),
      targets,
    );
    expect(own).toBe('connected');
    expect(Object.keys(others)).toHaveLength(targets.length - 1);
    for (const result of Object.values(others)) {
      expect(result).toMatch(/^(ENETUNREACH|EHOSTUNREACH|EACCES|EPERM|EINVAL)$/);
    }
  });

  it('shows the agent no socket of its bridge', async () => {
    const far = remoteNamed('far', { shape: shapeAt(gateway, server), sign_in: 'oauth' });
    const seen = await sessions.seen(
      await sessions.start(sessions.prepare({ agent: probe([]), servers: [far] })),
    );
    expect(seen.files).toContain('/run/platform/mcp/far.sock');
    expect(seen.files.filter((path) => path.includes('token'))).toEqual([]);
  });

  /** What a program finds that shares the network of a container. */
  async function connectsFrom(holder: string, targets: string[]): Promise<Record<string, string>> {
    const { run, env } = probe(targets);
    const container = await driver.docker().createContainer({
      Image: requirePlatformImages().runner,
      Entrypoint: [run.command, ...run.args],
      Cmd: [],
      Env: [`TARGETS=${env.TARGETS.value}`],
      Labels: { 'gatepost.internal/installation': driver.installation },
      HostConfig: { NetworkMode: `container:${holder}` },
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
});
