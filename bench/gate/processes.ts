/** The processes of one part of the bench: all started alike, all ended with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Load, Order, Sample, Transport } from './load-generator.ts';
import type { LargeContent } from './messages.ts';

export interface StartOptions {
  cwd?: string;
  /** All of it; left out: that of the bench. */
  env?: Record<string, string>;
  /** Written to its standard input, which then stays open until the end. */
  input?: string;
}

export interface LoadGenerator {
  open(client: string, transport: Transport, address: string): Promise<void>;
  measure(load: Load): Promise<Sample>;
  flood(client: string, sizeBytes: number, content: LargeContent): Promise<void>;
  /** Ends a flood; returns how many lines per second it sent. */
  stopFlood(): Promise<number>;
}

/** A file that may be started as one of the bench's own programs. */
export const ownProgram = (name: string) => [
  process.execPath,
  '--import',
  'tsx',
  new URL(`${name}.ts`, import.meta.url).pathname,
];

const killAfterMs = 10_000;

export class Processes {
  readonly #prefix: readonly string[];
  readonly #children: ChildProcess[] = [];
  #closing = false;

  /** `core`: all of them run on this one; null leaves it to the system. */
  constructor(core: number | null) {
    this.#prefix = core === null ? [] : ['taskset', '-c', String(core)];
  }

  start(argv: readonly string[], options: StartOptions = {}): ChildProcess {
    const child = this.#spawn(argv, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    let lastWords = '';
    child.stderr?.on('data', (chunk) => {
      lastWords = `${lastWords}${chunk}`.slice(-2000);
    });
    child.once('exit', (code) => {
      if (!this.#closing) {
        console.error(`${argv.join(' ')} ended with ${code}:\n${lastWords}`);
      }
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.write(options.input ?? '');
    return child;
  }

  #spawn(argv: readonly string[], options: StartOptions & { stdio: ('pipe' | 'ignore' | 'ipc')[] }) {
    const [command = '', ...args] = [...this.#prefix, ...argv];
    // Its own group: some start further processes. Advanced serialization is cheap for many numbers.
    const child = spawn(command, args, { ...options, detached: true, serialization: 'advanced' });
    this.#children.push(child);
    return child;
  }

  async startLoadGenerator(): Promise<LoadGenerator> {
    const child = this.#spawn(ownProgram('load-generator'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const order = async (given: Order): Promise<Sample | null> => {
      const answered = new Promise<Answer>((resolve, reject) => {
        child.once('message', (answer: Answer) => resolve(answer));
        child.once('exit', () => reject(new Error('the load generator ended')));
      });
      child.send(given);
      const answer = await answered;
      child.removeAllListeners('exit');
      if (!answer.ok) {
        throw new Error(`${JSON.stringify(given)}: ${answer.message}`);
      }
      return answer.sample;
    };
    const nothing = { latenciesMs: [], perSecond: 0 };
    return {
      open: async (client, transport, address) =>
        void (await order({ type: 'open', client, transport, address })),
      measure: async (load) => (await order({ type: 'measure', ...load })) ?? nothing,
      flood: async (client, sizeBytes, content) =>
        void (await order({ type: 'flood', client, sizeBytes, content })),
      stopFlood: async () => (await order({ type: 'stop' }))?.perSecond ?? 0,
    };
  }

  /** Ends all of them; those that do not exit in time are killed. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#children.reverse().map(endGroup));
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  const ended = child.exitCode !== null || child.signalCode !== null;
  if (!ended && child.pid !== undefined) {
    const exited = once(child, 'exit');
    signalGroup(child.pid, 'SIGTERM');
    await Promise.race([exited, sleep(killAfterMs, undefined, { ref: false })]);
  }
  if (child.pid !== undefined) {
    signalGroup(child.pid, 'SIGKILL');
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty already.
  }
}
