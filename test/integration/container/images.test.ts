/** MCP servers whose images are in a registry that requires credentials. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import { openEngine } from '../../../runtime/container/engine.ts';
import { type Runtime, WorkloadFailedError } from '../../../runtime/workload.ts';
import {
  type DockerRegistry,
  hasDockerRegistry,
  pushImage,
  startDockerRegistry,
} from '../../support/docker-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { image, tar } from '../../support/images.ts';
import { findStaticRelay } from '../../support/static-relay.ts';
import { node } from '../runtime/driver-under-test.ts';
import { type Reports, takeReports } from '../runtime/reports.ts';
import { containerDriver } from './container-driver.ts';
import { createSessions } from './container-sessions.ts';
import { describeInContainers } from './describe-in-containers.ts';

/** bcrypt of "the-password", with the fewest rounds. */
const passwords = 'ada:$2b$04$GW4JYP9Idmc0nJq.ORPTGecWkpjMzTR.VTDDMsPgSPPoZB0wNu0w6';
const credentials = 'ada:the-password';
const asks = `const socket = require('node:net').connect('/run/platform/mcp/small.sock');
const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
socket.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }) + '\\n');
socket.on('data', (bytes) => console.log(String(bytes)));`;

const canRun = hasDockerRegistry && findStaticRelay() !== null;

(canRun ? describeInContainers : describe.skip)('an MCP server from a registry', () => {
  const driver = containerDriver();
  const storage = mkdtempSync(join(tmpdir(), 'registry-storage-'));
  let registry: DockerRegistry;
  let reports: Reports;
  let runtime: Runtime<SessionPlan>;
  let digest: string;
  const sessions = createSessions(() => runtime);

  beforeAll(async () => {
    const program = join(storage, 'small-server');
    execFileSync('sh', [
      'relay/static/build.sh',
      program,
      resolve('test/integration/container/inside/small-server'),
    ]);
    // Not in any engine's cache from an earlier run.
    const unique = { path: 'once', content: randomUUID() };
    const planted = ['run/platform/mcp/planted', 'opt/platform/bin/planted'].map((path) => ({
      path,
      content: 'x',
    }));
    const layer = tar([{ path: 'server', content: readFileSync(program), mode: 0o755 }, unique, ...planted]);
    const config = {
      Entrypoint: ['/server'],
      Cmd: ['--stdio'],
      Volumes: { '/data': {} },
      Env: ['FROM_IMAGE=1'],
    };
    const small = image({ layers: [layer], config });
    digest = small.digest;
    const open = await startDockerRegistry(storage);
    await pushImage(open.host, 'team/small', '1', small);
    await open.stop();
    const file = join(storage, 'htpasswd');
    writeFileSync(file, `${passwords}\n`);
    registry = await startDockerRegistry(storage, { auth: { htpasswd: { realm: 'x', path: file } } });
    await driver.begin({ insecureRegistries: [registry.host] });
    reports = await takeReports(await driver.hostAddress());
    runtime = await driver.open(reports.url);
  });
  afterAll(async () => {
    await sessions.stopAll();
    await reports.close();
    await driver.removeImage(`${registry.host}/team/small@${digest}`);
    await driver.end();
    await registry.stop();
    rmSync(storage, { recursive: true, force: true });
  });

  const session = (changes: { digest?: string } = {}) =>
    sessions.prepare({
      agent: node(asks),
      servers: [
        serverNamed('small', {
          shape: { type: 'image', image: `${registry.host}/team/small:1` },
          image_digest: changes.digest ?? digest,
          image_command: ['/server', '--stdio'],
          image_volumes: ['/data'],
          registry_credentials: { kind: 'secret', secret_name: 'REGISTRY', secret_version: 1 },
          env: { TOKEN: { kind: 'secret', secret_name: 'TOKEN', secret_version: 1 } },
        }),
      ],
    });
  const secrets = (given: string) => ({
    registryCredentials: { small: given },
    serverEnv: { small: { TOKEN: 'a-server-token' } },
  });
  const refused = async (frozen: ReturnType<typeof session>, given: string) => {
    const error = await sessions.start(frozen, secrets(given)).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(WorkloadFailedError.name);
    expect(await driver.running(frozen.session_id)).toEqual([]);
    return String(error);
  };

  it('is not run with credentials that the registry refuses, and nothing of the session is left', async () => {
    const message = await refused(session(), 'ada:wrong');
    expect(message).toContain('its registry rejects the credentials');
    expect(message).not.toContain('wrong');
  });

  it('is pulled by its digest with its own credentials, and answers through the gate', async () => {
    const id = await sessions.start(session(), secrets(credentials));
    await eventually(async () => expect(await runtime.logs(id, 'agent', 10_000)).toContain('"name":"small"'));
    // Reversed, the secret is not recognized.
    expect(await runtime.logs(id, 'mcp-small', 10_000)).toContain(
      'TOKEN is [secret], backwards nekot-revres-a',
    );
    expect(await runtime.logs(id, 'agent', 10_000)).not.toContain('a-server-token');
    // Nothing that the image has at the paths of the views ended up in them.
    const engine = await openEngine(driver.socketPath());
    const sidecar = driver.nameOf(id, 'sidecar');
    expect(await engine.readFile(sidecar, '/opt/platform/bin/relay')).not.toBeNull();
    for (const path of ['/run/platform-session/servers/small/planted', '/opt/platform/bin/planted']) {
      expect(await engine.readFile(sidecar, path)).toBeNull();
    }
    // What the image declares as a volume is in memory and goes with the session.
    const { Mounts } = await driver.docker().getContainer(driver.nameOf(id, 'mcp-small')).inspect();
    expect(Mounts.map(({ Name }) => Name).filter((name) => !name?.includes(id))).toEqual([]);
    await runtime.stop(id);
    expect(await driver.running(id)).toEqual([]);
  });

  it('is not run when it is not in the registry', async () => {
    const message = await refused(session({ digest: `sha256:${'0'.repeat(64)}` }), credentials);
    expect(message).toContain('its registry does not have it');
    expect(message).not.toContain('the-password');
  });
});
