/** A service preview without a sandbox: its gateway, and a service behind a relay, as the real programs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signServiceRequest } from '../../../contract/service-signature.ts';
import { controlKey } from '../../../contract/session-keys.ts';
import type { SidecarBoot } from '../../../contract/sidecar.ts';
import { eventually } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { roomySidecarLimits } from '../../support/sidecar-limits.ts';
import { type PlatformStandIn, startPlatformStandIn } from './platform-stand-in.ts';
import type { Programs } from './programs.ts';

export interface Ask {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** In place of the right one; null: none. */
  signature?: string | null;
}

export interface Told {
  status: number;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  trailers: IncomingMessage['trailers'];
  body: string;
}

export class ServiceWorkload {
  readonly id = randomUUID();
  readonly key = controlKey(Buffer.alloc(32, 7), this.id);
  readonly #programs: Programs;
  readonly #relay: readonly string[];
  readonly #children = new Set<ChildProcess>();
  #platform: PlatformStandIn | null = null;
  #directory = '';
  gateway: ChildProcess | null = null;
  relay: ChildProcess | null = null;
  /** What the service wrote. */
  output = '';
  port = 0;

  constructor(programs: Programs, relay: readonly string[]) {
    this.#programs = programs;
    this.#relay = relay;
  }

  async start(script: string | null, args: readonly string[] = []): Promise<this> {
    this.#directory = await mkdtemp(join(tmpdir(), 'g-'));
    this.#platform = await startPlatformStandIn(this.id);
    this.port = await chooseTestPort();
    await this.startGateway();
    if (script !== null) {
      this.startService(script, args);
      await eventually(() => {
        if (!this.output.includes('up\n')) {
          throw new Error('the service does not listen yet');
        }
      });
    }
    return this;
  }

  async startGateway(): Promise<void> {
    const boot: SidecarBoot = {
      session_id: this.id,
      agent: { id: randomUUID(), name: 'web' },
      api_url: this.platform.url,
      internal_token: this.platform.token,
      control_key: this.key,
      session_directory: this.#directory,
      agent_config: null,
      control_host: '127.0.0.1',
      control_port: 0,
      servers: [],
      siblings: [],
      sibling_access: [],
      service: { port: this.port },
      has_operator: false,
      log_tool_payloads: false,
      audit_sync: 'within-100-ms',
      limits: roomySidecarLimits,
    };
    this.platform.controlUrl = null;
    this.gateway = this.#spawn([process.execPath, this.#programs.sidecar]);
    this.gateway.stdin?.write(`${JSON.stringify(boot)}\n`);
    await eventually(() => {
      if (this.platform.controlUrl === null) {
        throw new Error('the gateway has not reported');
      }
    });
  }

  startService(script: string, args: readonly string[] = []): void {
    const gateway = join(this.#directory, 'agent', 'agent', 'service.sock');
    const options = ['run', '--gateway', gateway, '--port', String(this.port), '--'];
    this.relay = this.#spawn([...this.#relay, ...options, process.execPath, script, ...args], {
      PORT: String(this.port),
    });
    this.relay.stdout?.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
  }

  get platform(): PlatformStandIn {
    if (this.#platform === null) {
      throw new Error('the workload is not started');
    }
    return this.#platform;
  }

  get address(): { host: string; port: number } {
    const { hostname: host, port } = new URL(this.platform.controlUrl ?? '');
    return { host, port: Number(port) };
  }

  /** How many connections the service has taken. */
  get taken(): number {
    return this.output.split('taken\n').length - 1;
  }

  signatureOf(method: string, target: string, atMs = Date.now()): string {
    return signServiceRequest(this.key, { method, target, atMs });
  }

  /** A request that is not sent yet; `end` or `write` sends it. */
  open(target: string, { method = 'GET', headers = {}, signature }: Ask = {}): ClientRequest {
    const signed = signature === undefined ? this.signatureOf(method, target) : signature;
    return request({
      ...this.address,
      agent: false,
      method,
      path: target,
      headers: { ...headers, ...(signed === null ? {} : { 'x-service-request': signed }) },
    });
  }

  async ask(target: string, asked: Ask = {}): Promise<Told> {
    const sent = this.open(target, asked);
    sent.end(asked.body);
    return toldBy(await answerOf(sent));
  }

  /** Bytes to the control port as they are, and all that it answers until it closes. */
  async send(text: string): Promise<string> {
    const socket = this.connect();
    socket.write(text);
    return textOf(socket);
  }

  connect(): Socket {
    const socket = connect(this.address);
    socket.on('error', () => undefined);
    return socket;
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      child.kill('SIGTERM');
    }
    const limit = setTimeout(() => {
      for (const child of this.#children) {
        child.kill('SIGKILL');
      }
    }, 3000);
    await eventually(() => {
      if (this.#children.size > 0) {
        throw new Error('something still runs');
      }
    });
    clearTimeout(limit);
    await this.#platform?.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #spawn([program = '', ...args]: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], ...env },
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    child.stdin?.on('error', () => undefined);
    return child;
  }
}

export async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = await once(sent, 'response');
  sent.on('error', () => undefined);
  return answer as IncomingMessage;
}

/** Throws when the answer is cut off. */
export async function toldBy(answer: IncomingMessage): Promise<Told> {
  const body = Buffer.concat(await answer.toArray()).toString('latin1');
  const { statusCode: status = 0, headers, rawHeaders, trailers } = answer;
  return { status, headers, rawHeaders, trailers, body };
}

export async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return text;
}

/** The handshake of a WebSocket, as a browser's request arrives. */
export const webSocketHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
};
