/** The platform under attack: the servers of the suite, a bystanding session, and the controls. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { AuditEvent } from '../../contract/audit-event.ts';
import { internalToken } from '../../contract/session-keys.ts';
import { openDemoWorkspace } from '../support/demo-workspace.ts';
import { eventually } from '../support/eventually.ts';
import { chooseTestPort } from '../support/free-port.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { sharedPlatform } from '../support/shared-platform.ts';
import type { Attempt, Target } from './attempts/attempt.ts';
import { controlProgram, maliciousServer } from './inside/puppets.ts';
import { vaultServer } from './inside/vault.ts';
import { HostileSession, orderOf } from './session.ts';

/** Root rights in namespaces of its own: what kernel attempts lack in a sandbox. */
const withRights = [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  '--uts',
  '--ipc',
  '--net',
  '--pid',
  '--fork',
];

/** What every arena is set to. */
const settings = {
  SANDBOX: 'require',
  RATE_USER_PER_MINUTE: '100000',
  LIMIT_RUNNING_SESSIONS_PER_USER: '1000',
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: '1000',
  RATE_SESSIONS_PER_HOUR_PER_USER: '10000',
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: '10000',
  LIMIT_SESSION_ARTIFACT_BYTES: String(24 * 1024 * 1024),
};

interface ArenaParts {
  platform: Pick<Platform, 'url' | 'dataDirectory'>;
  ada: FrontDoor;
  max: FrontDoor;
  temporalUiPort: number;
  leave: () => Promise<void>;
}

export class Arena {
  readonly platform: Pick<Platform, 'url' | 'dataDirectory'>;
  /** Its admin, who starts the sessions. */
  readonly ada: FrontDoor;
  /** A member. */
  readonly max: FrontDoor;
  readonly other: HostileSession;
  private readonly temporalUiPort: number;
  private readonly listeners: Server[];
  private readonly directory: string;
  private readonly leave: () => Promise<void>;

  private constructor(parts: ArenaParts, other: HostileSession, listeners: Server[]) {
    this.platform = parts.platform;
    this.ada = parts.ada;
    this.max = parts.max;
    this.other = other;
    this.temporalUiPort = parts.temporalUiPort;
    this.leave = parts.leave;
    this.listeners = listeners;
    this.directory = mkdtempSync(join(tmpdir(), 'control-'));
  }

  /**
   * A workspace with people of its own, on a platform that files share: for those that need no other
   * settings, measure no time of the platform, and leave it as they found it.
   */
  static async enter(): Promise<Arena> {
    const platform = await sharedPlatform('arena', { withoutDemoSession: true, env: settings });
    const workspace = await openDemoWorkspace(platform);
    const [ada, max] = [await workspace.signIn('ada'), await workspace.signIn('max')];
    const { temporalUiPort } = platform;
    return Arena.furnish({ platform, ada, max, temporalUiPort, leave: workspace.close });
  }

  /**
   * A platform of its own. `env` adds to its settings. With the servers of the run there is no
   * `target`, which names its own.
   */
  static async open(
    env: Record<string, string> = {},
    { usesRunServers = false }: { usesRunServers?: boolean } = {},
  ): Promise<Arena> {
    const temporalUiPort = await chooseTestPort();
    const platform = await startPlatform({
      usesRunServers,
      withoutDemoSession: true,
      env: { ...settings, TEMPORAL_UI_PORT: String(temporalUiPort), ...env },
    });
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    const max = await FrontDoor.signIn(platform.url, 'max@demo.test');
    return Arena.furnish({ platform, ada, max, temporalUiPort, leave: () => platform.stop() });
  }

  private static async furnish(parts: ArenaParts): Promise<Arena> {
    const { ada } = parts;
    await registerServers(ada, { mallory: maliciousServer, vault: vaultServer });
    const other = await HostileSession.start(ada, { name: 'bystander', servers: ['files'] });
    // A call gives it an audit spool.
    await other.works();
    const listeners = [await listening('0.0.0.0'), await listening(`\0hostile-${process.pid}`)];
    return new Arena(parts, other, listeners);
  }

  async close(): Promise<void> {
    for (const listener of this.listeners) {
      listener.close();
    }
    rmSync(this.directory, { recursive: true, force: true });
    await this.leave();
  }

  directoryOf(sessionId: string): string {
    return join(this.platform.dataDirectory, 'sessions', sessionId);
  }

  /** The token of a session's sidecar; no process in a sandbox can know it. */
  tokenOf(sessionId: string): string {
    return internalToken(Buffer.from(this.keys().session_key_seed, 'base64'), sessionId);
  }

  sidecarPid(sessionId: string): number {
    const state = JSON.parse(readFileSync(join(this.directoryOf(sessionId), 'state.json'), 'utf8'));
    return state.containers.find(({ name }: { name: string }) => name === 'sidecar').process.pid;
  }

  controlPortOf(sessionId: string): number {
    return listeningPortOf(this.sidecarPid(sessionId));
  }

  keys(): { session_key_seed: string; cookie_key: string } {
    return JSON.parse(readFileSync(join(this.platform.dataDirectory, 'keys.json'), 'utf8'));
  }

  target(session: HostileSession): Target {
    const { dataDirectory, url } = this.platform;
    const [everywhere] = this.listeners;
    const temporal = JSON.parse(readFileSync(join(dataDirectory, 'temporal/temporal.json'), 'utf8'));
    const postmaster = readFileSync(join(dataDirectory, 'postgres/data/postmaster.pid'), 'utf8').split('\n');
    return {
      sockets: '/run/platform',
      ownSocket: '/run/platform/mcp/mallory.sock',
      abstractSocket: `hostile-${process.pid}`,
      workspace: '/workspace',
      platform: { dataDirectory, projectDirectory: process.cwd() },
      ports: {
        api: Number(new URL(url).port),
        postgres: Number(postmaster[3]),
        temporal: temporal.port,
        'temporal-ui': this.temporalUiPort,
        control: this.controlPortOf(session.id),
        'control-of-other': this.controlPortOf(this.other.id),
        everywhere: portOf(everywhere),
      },
      // Bridges of containers and clusters come and go with the tests beside this one.
      addresses: Object.entries(networkInterfaces())
        .filter(([name]) => !existsSync(`/sys/class/net/${name}/bridge`))
        .flatMap(([, all]) => all ?? [])
        .filter(({ internal, family }) => !internal && family === 'IPv4')
        .map(({ address }) => address),
      otherSession: {
        id: this.other.id,
        directory: this.directoryOf(this.other.id),
        token: this.tokenOf(this.other.id),
      },
      ownSession: { directory: this.directoryOf(session.id) },
      platformPid: JSON.parse(readFileSync(join(dataDirectory, 'worker.json'), 'utf8')).pid,
      arch: process.arch,
    };
  }

  /**
   * Waits until the recorded calls of a session that begin with `start` are these, in any order: a
   * sidecar reports ended calls.
   */
  async expectRecorded(sessionId: string, expected: string[], start = ''): Promise<void> {
    await eventually(async () => {
      const calls = await this.recordedCalls(sessionId);
      expect(calls.filter((call) => call.startsWith(start))).toEqual(expected.toSorted());
    });
  }

  /** Every call of a session in the audit trail, as `server.tool outcome`, sorted. */
  async recordedCalls(sessionId: string): Promise<string[]> {
    const calls: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `event=session.mcp.tool_called&limit=200${cursor}`;
      const page: { audit_events: AuditEvent[]; next_cursor: string | null } = await this.ada.ok(
        'GET',
        `${this.ada.workspace}/audit-events?${query}`,
      );
      const own = page.audit_events.filter(({ session_id }) => session_id === sessionId);
      calls.push(...own.map(({ data }) => `${data['name']}.${data['tool']} ${data['outcome']}`));
      cursor = page.next_cursor === null ? null : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
    return calls.sort();
  }

  /**
   * Runs the attempts that have a control where nothing stops them: on the machine
   * itself, on sockets made for it.
   */
  controls(attempts: Attempt[], target: Target, { rights = false } = {}): Record<string, unknown> {
    const sockets = join(this.directory, 'view');
    rmSync(sockets, { recursive: true, force: true });
    mkdirSync(join(sockets, 'mcp'), { recursive: true });
    writeFileSync(join(sockets, 'mcp/files.sock'), '');
    const orders = attempts.filter((attempt) => 'outside' in attempt).map(orderOf);
    const there = { sockets, ownSocket: join(sockets, 'mcp/files.sock'), workspace: this.directory };
    const [command = '', ...args] = [...(rights ? withRights : []), process.execPath, '-e', controlProgram];
    const { stdout, stderr } = spawnSync(command, args, {
      input: JSON.stringify({ orders, target: { ...target, ...there } }),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (stdout === '') {
      throw new Error(`the controls did not run: ${stderr}`);
    }
    return JSON.parse(stdout);
  }
}

/** Servers whose tool `open` is gated. */
export async function registerServers(
  door: FrontDoor,
  servers: Readonly<Record<string, object>>,
  workspace = door.workspace,
): Promise<void> {
  for (const [name, shape] of Object.entries(servers)) {
    const manifest = { tool_scopes: { open: `${name}.open` } };
    const entry = { name, shape, manifest, network: 'none' };
    await door.ok('POST', `${workspace}/mcp-servers`, entry);
  }
}

const portOf = (server: Server | undefined): number => {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

async function listening(where: string): Promise<Server> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => {
    server.once('listening', resolve);
    if (where.startsWith('\0')) {
      server.listen(where);
    } else {
      server.listen(0, where);
    }
  });
  return server;
}

/** The port that a process listens on. */
function listeningPortOf(pid: number): number {
  const { stdout } = spawnSync('ss', ['-Hltnp'], { encoding: 'utf8' });
  const line = stdout.split('\n').find((each) => each.includes(`pid=${pid},`));
  return Number(/:(\d+)\s/.exec(line ?? '')?.[1] ?? 0);
}
