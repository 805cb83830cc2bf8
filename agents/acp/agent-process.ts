/**
 * An agent of somebody else as a child process that speaks JSON-RPC, one message a line. What it says is
 * parsed as hostile: it may flood, answer twice, print what is no message, or end at any time.
 */
import { spawn } from 'node:child_process';
import * as z from 'zod';
import { jsonOrNull } from '../../contract/json-or-null.ts';
import { LineOutput, readLines } from '../../lib/timing/lines.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';

export interface AgentCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

export interface AgentProcessHandlers {
  onNotification(method: string, params: unknown): void;
  /** Undefined: this client has no such method. */
  answer(method: string, params: unknown): object | undefined;
  /** Waited for after each line, so that one that floods is read no faster than it is shown. */
  hasRoom(): Promise<void>;
}

export interface AgentProcess {
  /** Throws AgentEndedError, or what the agent answered as an error. */
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
  stop(): Promise<void>;
}

/** Its process is gone. */
export class AgentEndedError extends Error {
  /** Whether it may have read what was asked. */
  readonly wasAsked: boolean;

  constructor(how: string, wasAsked: boolean) {
    super(how);
    this.wasAsked = wasAsked;
  }
}

/** A longer line is skipped. */
const maxLineBytes = 4 * 1024 * 1024;
const methodNotFound = -32601;
const killAfterMs = 2000;

const id = z.union([z.string(), z.number()]);
const incoming = z.union([
  z.object({ method: z.string(), id: id.optional(), params: z.unknown().optional() }),
  z.object({
    method: z.undefined().optional(),
    id,
    result: z.unknown().optional(),
    error: z.unknown().optional(),
  }),
]);
const rpcError = z.object({ message: z.string(), data: z.unknown().optional() });

export function startAgentProcess(
  { command, args, env }: AgentCommand,
  { onNotification, answer, hasRoom }: AgentProcessHandlers,
): AgentProcess {
  // A group of its own, so that what it started ends with it.
  const child = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const output = new LineOutput(child.stdin);
  const waiting = new WaitingRequests();
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`its program could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(`its program ended (${signal ?? `exit code ${code}`})`));
  });
  child.stdin.on('error', () => undefined);
  const send = (message: object) => output.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const take = (bytes: Buffer) => {
    const { data: message } = incoming.safeParse(jsonOrNull(bytes.toString()));
    if (message?.method !== undefined) {
      if (message.id === undefined) {
        onNotification(message.method, message.params);
        return;
      }
      const result = answer(message.method, message.params);
      const error = { code: methodNotFound, message: `this client has no ${message.method.slice(0, 100)}` };
      send({ id: message.id, ...(result === undefined ? { error } : { result }) });
    } else if (message !== undefined) {
      waiting.settle(Number(message.id), message);
    }
  };
  const read = async () => {
    for await (const bytes of readLines(child.stdout, maxLineBytes)) {
      if (bytes !== null) {
        take(bytes);
        await Promise.all([hasRoom(), output.hasRoom()]);
      }
    }
  };
  const reading = read().catch(() => undefined);
  // One that says nothing more, and takes no turn, is no agent.
  void reading.then(() => endGroup(child.pid, 'SIGTERM'));
  void exited.then(async (how) => {
    waiting.askNoMore(how);
    // What it said before it ended is heard first.
    await abandonAfter(killAfterMs, reading, () => undefined);
    waiting.end(how);
  });
  return {
    request: (method, params) => waiting.add((number) => send({ id: number, method, params })),
    notify: (method, params) => send({ method, params }),
    async stop() {
      output.stopWaiting();
      endGroup(child.pid, 'SIGTERM');
      const timer = setTimeout(() => endGroup(child.pid, 'SIGKILL'), killAfterMs);
      await exited;
      clearTimeout(timer);
      child.stdout.destroy();
      // What it started may have ignored the first signal.
      endGroup(child.pid, 'SIGKILL');
    },
  };
}

/** What was asked of the agent and not answered yet, by the number of the request. */
class WaitingRequests {
  #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #count = 0;
  #ending: string | null = null;

  add(send: (number: number) => void): Promise<unknown> {
    if (this.#ending !== null) {
      return Promise.reject(new AgentEndedError(this.#ending, false));
    }
    this.#count += 1;
    const number = this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      send(number);
    });
  }

  /** A second answer, or one that nobody asked for, is not heard. */
  settle(number: number, { result, error }: { result?: unknown; error?: unknown }): void {
    const asked = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (error === undefined || error === null) {
      asked?.resolve(result);
    } else {
      asked?.reject(new Error(wordError(error)));
    }
  }

  askNoMore(how: string): void {
    this.#ending = how;
  }

  end(how: string): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new AgentEndedError(how, true));
    }
    this.#waiting.clear();
  }
}

function wordError(error: unknown): string {
  const { message = 'it answered with an error', data } = rpcError.safeParse(error).data ?? {};
  const details = typeof data === 'string' ? data : writtenOrEmpty(data ?? '');
  return `${message}${details === '""' || details === '' ? '' : ` (${details})`}`
    .slice(0, 2000)
    .toWellFormed();
}

/** What is nested without end can be read and not be written. */
function writtenOrEmpty(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

function endGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}
