/** Running relays, and what they connect to, so that nothing is left behind when a test fails. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe } from '@jest/globals';
import { findStaticRelay } from '../../support/static-relay.ts';
import { bundlePrograms } from '../sidecar/programs.ts';

/** The static relay's command; without one, its tests are skipped before they run it. */
export const staticRelay = [findStaticRelay() ?? 'no-static-relay'];

/** Options of unshare(1) that make the user of the tests root of a namespace. */
const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];

/** A command in fresh namespaces of the given kinds, as PID 1; all that it starts ends with it. */
export const inNamespaces = (kinds: readonly string[], ...command: string[]) => [
  'unshare',
  ...asRoot,
  ...kinds,
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  ...command,
];

const [unshare = '', ...unshareTrue] = inNamespaces(['--net'], 'ip', 'link');
const hasNamespaces = findStaticRelay() !== null && spawnSync(unshare, unshareTrue).status === 0;

/** `describe`, for tests that need the static relay, namespaces and `ip` to prepare them. */
export const describeWithNamespaces: typeof describe | typeof describe.skip = hasNamespaces
  ? describe
  : describe.skip;

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process whose output is kept; `stdout` may be read as a stream instead. */
export class TestProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  stderr = '';

  constructor(command: readonly string[], options: SpawnOptions = {}, keepsOutput = true) {
    const [program = '', ...args] = command;
    this.child = spawn(program, args, { stdio: 'pipe', ...options });
    let stdout = '';
    if (keepsOutput) {
      this.child.stdout?.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
      });
    }
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.child.stdin?.on('error', () => undefined);
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout,
      stderr: this.stderr,
    }));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** The directory of one test file, and what its tests started there. */
export class RelayBench {
  directory = '';
  #started: TestProcess[] = [];
  #bundle: string | null = null;
  readonly #closings: (() => void)[] = [];

  async open(): Promise<void> {
    this.directory = await mkdtemp(join(tmpdir(), 'relay-'));
  }

  /** The command of the Node relay, which the process runtime has. */
  async nodeRelay(): Promise<readonly string[]> {
    const { relay } = await bundlePrograms();
    this.#bundle = dirname(relay);
    return [process.execPath, relay];
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  start(command: readonly string[], options?: SpawnOptions, keepsOutput?: boolean): TestProcess {
    const started = new TestProcess(command, options, keepsOutput);
    this.#started.push(started);
    return started;
  }

  run(command: readonly string[], options?: SpawnOptions): Promise<Ending> {
    const started = this.start(command, options);
    started.child.stdin?.end();
    return started.ended;
  }

  /** Listens where a relay connects to, as the sidecar does; the answer gives the connections in turn. */
  async listen(path: string): Promise<{ next(): Promise<Socket>; close(): void }> {
    const waiting: Socket[] = [];
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
      waiting.push(socket);
      server.emit('waiting');
    });
    const close = () => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    };
    this.#closings.push(close);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const next = async () => {
      for (;;) {
        const socket = waiting.shift();
        if (socket) {
          return socket;
        }
        await once(server, 'waiting');
      }
    };
    return { next, close };
  }

  /** Ends what a test started, also a failed one. */
  async clear(): Promise<void> {
    for (const close of this.#closings.splice(0)) {
      close();
    }
    for (const { child } of this.#started) {
      child.kill('SIGTERM');
    }
    const limit = setTimeout(() => {
      for (const { child } of this.#started) {
        child.kill('SIGKILL');
      }
    }, 3000);
    await Promise.all(this.#started.map(({ ended }) => ended));
    clearTimeout(limit);
    this.#started = [];
  }

  async close(): Promise<void> {
    await this.clear();
    for (const directory of [this.directory, this.#bundle ?? this.directory]) {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

/** The children of a process, also those that it adopted. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What arrives on a stream until it ends. A socket stays open in the other direction. */
export function allOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return once(stream, 'end').then(() => Buffer.concat(chunks));
}

/** The next bytes of a socket, until they hold a line's end. Leaves the socket usable. */
export async function lineOf(socket: Socket): Promise<string> {
  let text = '';
  while (!text.includes('\n')) {
    const [chunk] = await once(socket, 'data');
    text += String(chunk);
  }
  return text.trim();
}
