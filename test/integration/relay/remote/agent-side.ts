/** The agent's side of a bridge, which runs in this process or as the program that a container runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { BridgeConfig } from '../../../../contract/remote-server.ts';
import { type BridgeOptions, runBridge } from '../../../../relay/remote/bridge.ts';
import { type BridgeLimits, defaultBridgeLimits } from '../../../../relay/remote/limits.ts';
import { bundleForNode } from '../../../support/esbuild.ts';
import { waitLimitMs } from '../../../support/eventually.ts';

export interface Ended {
  /** Null for one that runs in this process. */
  code: number | null;
}

export type Answer = Record<string, unknown> & {
  id?: string | number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: { code: string } };
};

/** Writes lines to a bridge, and keeps those that it writes. */
export class AgentSide {
  readonly lines: string[] = [];
  /** What the bridge reports to the operator. */
  readonly reports: string[];
  readonly ended: Promise<Ended>;
  readonly #input: Writable;
  readonly #output: Readable;
  readonly #stop: () => void;
  readonly #waiting = new Set<() => void>();
  #lastId = 0;
  #rest = '';

  constructor(input: Writable, output: Readable, reports: string[], ended: Promise<Ended>, stop: () => void) {
    this.#input = input;
    this.#output = output;
    this.#stop = stop;
    this.reports = reports;
    this.ended = ended;
    input.on('error', () => undefined);
    output.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      this.lines.push(...lines);
      this.#wake();
    });
  }

  #wake(): void {
    for (const settle of this.#waiting) {
      settle();
    }
    this.#waiting.clear();
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.#output.pause();
  }

  /** What the bridge wrote, and nobody read. */
  get unread(): number {
    const { readableLength } = this.#output;
    return this.#output instanceof PassThrough
      ? readableLength + this.#output.writableLength
      : readableLength;
  }

  resume(): void {
    this.#output.resume();
  }

  write(line: string): void {
    this.#input.write(`${line}\n`);
  }

  send(message: object): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** Sends a request, and returns its answer. */
  async request(method: string, params: object = {}): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.send({ id, method, params });
    return this.answerTo(id);
  }

  answerTo(id: string | number): Promise<Answer> {
    return this.message((each) => each.id === id && !('method' in each), `the answer to ${id}`);
  }

  /** The first message that fits, as soon as it is there. */
  async message(fits: (message: Answer) => boolean, what: string): Promise<Answer> {
    const deadline = Date.now() + waitLimitMs;
    for (;;) {
      const found = this.lines.map((line): Answer => JSON.parse(line)).find(fits);
      if (found !== undefined) {
        return found;
      }
      await this.#change(deadline, what);
    }
  }

  async #change(deadline: number, what: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = await new Promise<boolean>((settle) => {
      this.#waiting.add(() => settle(false));
      timer = setTimeout(() => settle(true), Math.max(0, deadline - Date.now()));
    });
    clearTimeout(timer);
    if (isLate) {
      throw new Error(`gave up waiting for ${what}; lines: ${this.lines}; reports: ${this.reports}`);
    }
  }

  /** Opens a session of 2025; returns the server's answer. */
  async initialize(capabilities: object = {}, protocolVersion = '2025-11-25'): Promise<Answer> {
    const clientInfo = { name: 'test', version: '1' };
    const answer = await this.request('initialize', { protocolVersion, capabilities, clientInfo });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  /** Ends the input, as the end of the agent's connection does. */
  async close(): Promise<Ended> {
    this.#input.end();
    return this.ended;
  }

  /** As SIGTERM does. */
  async stop(): Promise<Ended> {
    this.#stop();
    return this.ended;
  }
}

const started: AgentSide[] = [];

/** Ends what a test left open. */
export async function stopBridges(): Promise<void> {
  await Promise.all(started.splice(0).map((each) => each.stop()));
}

/** A configuration for a server of a test, which is on loopback. */
export const configFor = (
  server: { url: string; host: string },
  changed: Partial<BridgeConfig> = {},
): BridgeConfig => ({
  url: server.url,
  headers: [],
  private_hosts: { [server.host]: 'http' },
  token_socket: null,
  ...changed,
});

/** Runs a bridge in this process, where limits can be small. */
export function startBridge(config: BridgeConfig, options: Partial<BridgeOptions> = {}): AgentSide {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const reports: string[] = [];
  const stopping = new AbortController();
  const ended = runBridge({
    config,
    credential: { headers: {}, secrets: [] },
    input,
    output,
    report: (line) => reports.push(line),
    signal: stopping.signal,
    ...options,
  });
  const side = new AgentSide(
    input,
    output,
    reports,
    ended.then(() => ({ code: null })),
    () => stopping.abort(),
  );
  started.push(side);
  return side;
}

const directory = resolve('.cache/test/remote-bridge');
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** The program with its packages in one file, as the build makes it; returns its path. */
export function bundleBridge(): string {
  const file = resolve(directory, 'remote-bridge.mjs');
  const unfinished = `${file}.${process.pid}.mjs`;
  mkdirSync(directory, { recursive: true });
  bundleForNode(['bin/remote-bridge.ts', `--banner:js=${banner}`, `--outfile=${unfinished}`]);
  // In one step: another test file may start its own at the same moment.
  renameSync(unfinished, file);
  return file;
}

/** Starts the program with this argument, and these variables beside the search path. */
export function spawnBridge(program: string, argument: string, env: Record<string, string> = {}): AgentSide {
  const child = spawn(process.execPath, [program, argument], {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], ...env },
  });
  const reports: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => reports.push(text.trim()));
  const ended = once(child, 'close').then(([code]) => ({ code }));
  const side = new AgentSide(child.stdin, child.stdout, reports, ended, () => child.kill('SIGTERM'));
  started.push(side);
  return side;
}

/** The limits of the program, with connections that are made again at once. */
export const quickLimits: BridgeLimits = {
  ...defaultBridgeLimits,
  firstReconnectMs: 5,
  lastReconnectMs: 50,
};
