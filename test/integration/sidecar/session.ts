/**
 * One session of real processes without a sandbox: sidecar, relays with MCP servers,
 * and clients as its agent.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import type { ClientFeature } from '../../../contract/catalog.ts';
import { reportSocketName } from '../../../contract/process-reports.ts';
import { controlKey, signControlRequest } from '../../../contract/session-keys.ts';
import type { SidecarBoot } from '../../../contract/sidecar.ts';
import { untilFound } from '../../support/eventually.ts';
import { roomySidecarLimits } from '../../support/sidecar-limits.ts';
import { type PlatformStandIn, startPlatformStandIn } from './platform-stand-in.ts';
import type { Programs } from './programs.ts';

type ToolPolicy = Pick<SidecarBoot['servers'][number], 'changed_tools' | 'unlisted_tools' | 'listed_tools'>;
const unrestricted: ToolPolicy = { changed_tools: 'tell', unlisted_tools: 'allow', listed_tools: [] };

export interface ServerSetUp {
  command: string;
  args: string[];
  toolScopes?: Record<string, string>;
  /** Of its entry. */
  entryVersion?: number;
  clientFeatures?: ClientFeature[];
  loadsPackages?: boolean;
  handshakeTimeoutMs?: number;
  accessTokens?: boolean;
  toolPolicy?: Partial<ToolPolicy>;
  /** Its container does not start. */
  isAbsent?: boolean;
}

type Limits = SidecarBoot['limits'];

const usualLimits: Limits = {
  ...roomySidecarLimits,
  server_connect_timeout_ms: 5000,
  server_handshake_timeout_ms: 60_000,
};

export class TestSession {
  readonly id = randomUUID();
  readonly #seed = Buffer.alloc(32, 7);
  readonly #servers: Record<string, ServerSetUp>;
  readonly #limits: Limits;
  readonly #programs: Programs;
  readonly #children = new Set<ChildProcess>();
  readonly #clients: Client[] = [];
  readonly #relays = new Map<string, ChildProcess>();
  hasOperator = true;
  hasModelAccess = false;
  logToolPayloads = false;
  auditSync: SidecarBoot['audit_sync'] = 'within-100-ms';
  directory = '';
  sidecar: ChildProcess | null = null;
  sidecarLog = '';
  #platform: PlatformStandIn | null = null;

  constructor(programs: Programs, servers: Record<string, ServerSetUp>, limits: Partial<Limits> = {}) {
    this.#programs = programs;
    this.#servers = servers;
    this.#limits = { ...usualLimits, ...limits };
  }

  get platform(): PlatformStandIn {
    if (!this.#platform) {
      throw new Error('the session is not started');
    }
    return this.#platform;
  }

  async start(): Promise<this> {
    this.directory = await mkdtemp(join(tmpdir(), 's-'));
    await mkdir(join(this.directory, 'work'));
    this.#platform = await startPlatformStandIn(this.id);
    await this.startSidecar();
    for (const [name, { isAbsent }] of Object.entries(this.#servers)) {
      if (!isAbsent) {
        this.#relays.set(name, this.startServer(name));
      }
    }
    return this;
  }

  async startSidecar(): Promise<void> {
    const boot: SidecarBoot = {
      session_id: this.id,
      agent: { id: randomUUID(), name: 'tester' },
      api_url: this.platform.url,
      internal_token: this.platform.token,
      control_key: controlKey(this.#seed, this.id),
      session_directory: this.directory,
      agent_config: null,
      control_host: '127.0.0.1',
      control_port: 0,
      servers: Object.entries(this.#servers).map(
        ([name, { toolScopes = {}, clientFeatures = [], ...setUp }]) => ({
          name,
          tool_scopes: toolScopes,
          client_features: clientFeatures,
          entry_version: setUp.entryVersion ?? 1,
          ...unrestricted,
          ...setUp.toolPolicy,
          network: 'internet',
          loads_packages: setUp.loadsPackages ?? false,
          access_tokens: setUp.accessTokens ?? false,
          ...(setUp.handshakeTimeoutMs === undefined
            ? {}
            : { handshake_timeout_ms: setUp.handshakeTimeoutMs }),
        }),
      ),
      siblings: [],
      sibling_access: [],
      ...(this.hasModelAccess ? { model_access: true } : {}),
      has_operator: this.hasOperator,
      log_tool_payloads: this.logToolPayloads,
      audit_sync: this.auditSync,
      limits: this.#limits,
    };
    this.platform.controlUrl = null;
    this.sidecar = this.#spawn([this.#programs.sidecar], 'pipe');
    this.sidecar.stderr?.on('data', (chunk: Buffer) => {
      this.sidecarLog += chunk.toString();
    });
    this.sidecar.stdin?.write(`${JSON.stringify(boot)}\n`);
    await until(() => this.platform.controlUrl !== null, 'the sidecar to be ready');
  }

  /** Asks the sidecar to stop, and waits until it has. */
  async stopSidecar(): Promise<void> {
    const { sidecar } = this;
    sidecar?.kill('SIGTERM');
    await until(() => sidecar?.exitCode !== null, 'the sidecar to stop');
  }

  /** The relay of an MCP server, as the server's container runs it. */
  startServer(name: string): ChildProcess {
    const { command, args } = this.#servers[name] ?? { command: 'false', args: [] };
    const address = `UNIX-CONNECT:${join(this.directory, 'servers', name, `${name}.sock`)}`;
    const report = ['--report', join(this.directory, 'servers', name, reportSocketName)];
    return this.#spawn([this.#programs.relay, ...report, address, '--', command, ...args], 'ignore');
  }

  /** The process that a server's relay runs at the moment. */
  async serverProcess(name: string): Promise<number> {
    const pid = this.#relays.get(name)?.pid;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return Number(children.trim().split(' ')[0]);
  }

  socketOf(server: string): string {
    return join(this.directory, 'agent', 'mcp', `${server}.sock`);
  }

  relayLaunch(server: string) {
    return {
      command: process.execPath,
      args: [this.#programs.relay, '-', `UNIX-CONNECT:${this.socketOf(server)}`],
      env: {},
    };
  }

  /** The official client, connected as an agent's: through the relay. */
  async connect(server: string, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
    const client = new Client({ name: 'test-agent', version: '1' }, { versionNegotiation: { mode } });
    this.#clients.push(client);
    await client.connect(new StdioClientTransport({ ...this.relayLaunch(server), stderr: 'ignore' }));
    return client;
  }

  /** Runs the scripted agent to its end. */
  async runAgent(instructions: unknown): Promise<number | null> {
    const config = join(this.directory, 'agent-config.json');
    const servers = ['platform', ...Object.keys(this.#servers)];
    await writeFile(
      config,
      JSON.stringify({
        session_id: this.id,
        agent: {
          id: randomUUID(),
          name: 'tester',
          kind: 'worker',
          instructions: typeof instructions === 'string' ? instructions : JSON.stringify(instructions),
          model: null,
        },
        prompt: '',
        mcpServers: Object.fromEntries(servers.map((name) => [name, this.relayLaunch(name)])),
      }),
    );
    const agent = this.#spawn([this.#programs.scriptedAgent], 'ignore', {
      PLATFORM_CONFIG: config,
      PLATFORM_SIDECAR_SOCKET: this.httpSocket,
      PLATFORM_SESSION_ID: this.id,
    });
    return new Promise((resolve) => agent.once('exit', resolve));
  }

  get httpSocket(): string {
    return join(this.directory, 'agent', 'agent', 'sidecar.sock');
  }

  /** A request on the agent's HTTP socket. */
  agentRequest(
    method: string,
    path: string,
    body?: string | Buffer,
  ): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const call = request({ socketPath: this.httpSocket, method, path, agent: false }, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode ?? 0, body: text });
      });
      call.on('error', reject);
      call.end(body);
    });
  }

  /** A signed request to the control port; `header` replaces the right signature. */
  async control(
    method: string,
    path: string,
    body = '',
    header?: string,
  ): Promise<{ status: number; body: string }> {
    const signature =
      header ?? signControlRequest(controlKey(this.#seed, this.id), { method, path, body, atMs: Date.now() });
    const response = await fetch(`${this.platform.controlUrl}${path}`, {
      method,
      headers: { 'x-control-request': signature },
      ...(method === 'GET' ? {} : { body }),
    });
    return { status: response.status, body: await response.text() };
  }

  inject(...messages: InputMessage[]) {
    return this.control('POST', '/inject', JSON.stringify({ messages }));
  }

  /** Waits for the audit record of the call that fits. */
  async recordOf(server: string, tool: string, outcome?: string) {
    const find = () =>
      this.platform.calls.find(
        (call) =>
          call.server === server && call.tool === tool && (outcome === undefined || call.outcome === outcome),
      );
    await until(() => find() !== undefined, `the record of ${server}.${tool}`);
    return find();
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#clients.map((client) => client.close()));
    for (const child of this.#children) {
      child.kill('SIGTERM');
    }
    await until(() => this.#children.size === 0, 'all processes to end');
    await this.#platform?.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  #spawn(args: string[], stdin: 'pipe' | 'ignore', env: Record<string, string> = {}): ChildProcess {
    const child = spawn(process.execPath, args, {
      stdio: [stdin, 'ignore', stdin === 'pipe' ? 'pipe' : 'ignore'],
      env: { PATH: process.env['PATH'], ...env },
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }
}

/** Waits for a condition; throws after the limit of every wait, saying what was waited for. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  await untilFound(what, async () => (condition() ? true : null), 0, 20);
}

export function userMessage(seq: number, text: string, id: string = randomUUID()): InputMessage {
  return {
    id,
    seq,
    kind: 'user_message',
    text,
    decision: null,
    input_request_id: null,
    at: new Date().toISOString(),
  };
}
