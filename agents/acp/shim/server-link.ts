/**
 * One connection of an agent to an MCP server, kept while the sidecar restarts: most agents never connect a
 * server again whose process ended, and would have no tools. Each such connection has one to the
 * sidecar of its own, one after another. It decides nothing, adds no right and hides no refusal.
 */
import type { Socket } from 'node:net';
import { jsonOrNull } from '../../../contract/json-or-null.ts';
import { describeError } from '../../../contract/sentences.ts';
import { LineOutput, readLines } from '../../../lib/timing/lines.ts';
import { retry } from '../../../lib/timing/retry.ts';
import { abandonAfter } from '../../../lib/timing/time-limit.ts';
import { answerOf, cursorAfter, type Frame, keyOf, type RpcId, readFrame, toolOf } from './frames.ts';
import { withShortWait } from './shorten-wait.ts';

export interface ServerLinkOptions {
  server: string;
  /** Resolves once it is connected. */
  connect(): Promise<Socket>;
  maxWaitSeconds: number;
  /** For the list that is asked for unseen: a server that never answers it would keep each call waiting. */
  listLimitMs: number;
  onListed(): void;
  onCall(id: string, tool: string): void;
  onAnswer(id: string, answer: { failed: boolean; text: string }): void;
}

/** What an agent may say at once; the sidecar refuses less. */
const maxRequestBytes = 4 * 1024 * 1024;
/** More than the sidecar passes on of an answer. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** For a server that ends each connection before it answered the handshake. */
const maxFirstAttempts = 5;
/** As many as the sidecar follows (sidecar/tool-lists/list-pages.ts). */
const maxListPages = 1001;
const reconnecting = { firstDelayMs: 250, maxDelayMs: 5000 };
/**
 * What is asked waits so long for a lost connection: agents give a call up after a minute, and one that came
 * through later would be made behind their backs.
 */
const patienceMs = 30_000;

export const unknownOutcome =
  'The connection broke while this call ran, so its outcome is unknown: it may have been done. Look up whether it was, before you make it again.';

const notMade = (why: string) =>
  `This call was not made: its MCP server cannot be reached at the moment (${why}). Make it again later.`;

interface Upstream {
  generation: number;
  output: LineOutput;
}

export class ServerLink {
  readonly #options: ServerLinkOptions;
  readonly #agent: Socket;
  readonly #toAgent: LineOutput;
  readonly #closing = new AbortController();
  /** Of the agent; each was written to the sidecar once. */
  readonly #inFlight = new Map<string, { id: RpcId; method: string; tool: string | null }>();
  #generation = 0;
  #upstream: Upstream | null = null;
  /** To the sidecar, also while a repeated handshake is not answered. */
  #socket: Socket | null = null;
  #wakeAgent = () => {};
  /** Until when what is asked waits for a connection, and why there is none. */
  #patientUntilMs = performance.now() + patienceMs;
  #whyLost = 'there is no connection';
  /** The agent's `initialize`, and whether it was answered. */
  #hello: (Frame & { type: 'request' }) | null = null;
  #isGreeted = false;
  #isInitialized = false;
  #announced: string[] = [];
  #hasListed = false;
  /** Of the list that is asked for unseen: the id of its next answer, and how many there were. */
  #listing: { id: string; pages: number } | null = null;

  constructor(agent: Socket, options: ServerLinkOptions) {
    this.#agent = agent;
    this.#toAgent = new LineOutput(agent);
    this.#options = options;
  }

  /** Resolves when the agent has closed its side, or the server ends each connection at once. */
  async run(): Promise<void> {
    this.#agent.on('error', () => undefined);
    try {
      await Promise.race([this.#readAgent(), this.#keepConnected()]);
    } catch {
      // A side that broke off.
    } finally {
      this.#closing.abort();
      this.#wakeAgent();
      // A server takes one connection at a time, so one that nobody uses would keep others from it.
      this.#socket?.destroy();
      await this.#toAgent.flushed();
      this.#agent.destroy();
    }
  }

  async #readAgent(): Promise<void> {
    for await (const bytes of readLines(this.#agent, maxRequestBytes)) {
      if (bytes === null) {
        return;
      }
      const frame = readFrame(bytes);
      await this.#untilConnected();
      const upstream = this.#upstream;
      if (this.#closing.signal.aborted) {
        return;
      }
      if (upstream === null) {
        this.#refuse(frame);
        await this.#toAgent.hasRoom();
      } else {
        this.#passToServer(frame, upstream);
        await upstream.output.hasRoom();
      }
    }
  }

  /** Returns also when it was waited for long enough, or a server did not take the connection. */
  async #untilConnected(): Promise<void> {
    const limitMs = this.#patientUntilMs - performance.now();
    if (this.#upstream === null && limitMs > 0 && !this.#closing.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wakeAgent = resolve;
      });
      await abandonAfter(limitMs, woken, () => undefined);
    }
  }

  /** Answers what was not passed on; what needs no answer is dropped. */
  #refuse(frame: Frame): void {
    if (frame.type === 'notification') {
      // That it is initialized is said on the next connection.
      this.#isCurrent(frame);
    }
    if (frame.type === 'request') {
      const tool = toolOf(frame.message);
      this.#answerWith({ id: frame.message.id, tool: tool?.name ?? null }, notMade(this.#whyLost));
    }
  }

  /** A failure, where a model reads it. */
  #answerWith({ id, tool }: { id: RpcId; tool: string | null }, text: string): void {
    const answer =
      tool === null
        ? { error: { code: -32000, message: text } }
        : { result: { isError: true, content: [{ type: 'text', text }] } };
    this.#toAgent.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }

  #passToServer(frame: Frame, { output, generation }: Upstream): void {
    if (frame.type === 'request') {
      this.#passRequest(frame, output);
    } else if (frame.type === 'response') {
      this.#passAnswerToServer(frame, { output, generation });
    } else if (frame.type === 'other' || this.#isCurrent(frame)) {
      output.write(frame.line);
    }
  }

  /** False where it cancels a call that no longer runs. */
  #isCurrent({ message: { method, params } }: Frame & { type: 'notification' }): boolean {
    this.#isInitialized ||= method === 'notifications/initialized';
    return method !== 'notifications/cancelled' || this.#inFlight.has(JSON.stringify(params?.['requestId']));
  }

  #passRequest(frame: Frame & { type: 'request' }, output: LineOutput): void {
    const { id, method } = frame.message;
    if (method === 'initialize') {
      this.#hello = frame;
      this.#isGreeted = false;
    }
    const tool = toolOf(frame.message)?.name ?? null;
    this.#inFlight.set(keyOf(id), { id, method, tool });
    if (tool !== null) {
      this.#options.onCall(keyOf(id), tool);
    }
    output.write(withShortWait(this.#options.server, frame, this.#options.maxWaitSeconds));
  }

  /** An answer to a question of an earlier connection is dropped. */
  #passAnswerToServer(
    { line, message }: Frame & { type: 'response' },
    { output, generation }: Pick<Upstream, 'output' | 'generation'>,
  ): void {
    const [, from, id] = /^(\d+):(.+)$/s.exec(String(message.id)) ?? [];
    if (id === undefined) {
      output.write(line);
    } else if (Number(from) === generation) {
      output.write(JSON.stringify({ ...message, id: jsonOrNull(id) }));
    }
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    await retry(
      async (delays) => {
        const socket = await this.#options.connect();
        const sinceMs = performance.now();
        this.#socket = socket;
        try {
          signal.throwIfAborted();
          await this.#serve(socket);
        } catch (error) {
          // It broke off, as at the end of a sidecar.
          this.#whyLost = describeError(error);
        } finally {
          socket.destroy();
          this.#lose();
        }
        failures = this.#isGreeted || this.#hello === null ? 0 : failures + 1;
        // A server that ends at once, again and again, is started more and more seldom.
        if (performance.now() - sinceMs > reconnecting.maxDelayMs) {
          delays.reset();
        }
        throw new Error('the connection was lost');
      },
      { ...reconnecting, signal, isRetryable: () => failures < maxFirstAttempts },
    );
  }

  async #serve(socket: Socket): Promise<void> {
    this.#generation += 1;
    const upstream = { generation: this.#generation, output: new LineOutput(socket) };
    this.#whyLost = 'it closed the connection';
    const ownId = `shim-${upstream.generation}`;
    let isReady = this.#hello === null || !this.#isGreeted;
    if (this.#hello !== null) {
      const { line, message } = this.#hello;
      // One that was never answered is the agent's own still.
      upstream.output.write(isReady ? line : JSON.stringify({ ...message, id: ownId }));
      if (isReady) {
        this.#inFlight.set(keyOf(message.id), { id: message.id, method: 'initialize', tool: null });
      }
    }
    if (isReady) {
      this.#becomeReady(upstream);
    }
    for await (const bytes of readLines(socket, maxAnswerBytes)) {
      if (bytes === null) {
        return;
      }
      const frame = readFrame(bytes);
      if (this.#listing !== null && frame.type === 'response' && frame.message.id === this.#listing.id) {
        this.#listOn(frame.message, upstream);
      } else if (isReady) {
        this.#passToAgent(frame, upstream.generation);
        await this.#toAgent.hasRoom();
      } else if (frame.type === 'response' && frame.message.id === ownId) {
        if (frame.message.error !== undefined) {
          throw new Error(answerOf(frame.message).text.slice(0, 2000));
        }
        isReady = true;
        this.#greetAgain(upstream);
      }
    }
  }

  #greetAgain(upstream: Upstream): void {
    if (this.#isInitialized) {
      upstream.output.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
      for (const what of this.#announced) {
        this.#toAgent.write(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${what}/list_changed` }));
      }
    }
    if (this.#isInitialized && this.#hasListed) {
      this.#listAgain(upstream, { pages: 0 });
      // One that does not list may still answer calls, which the sidecar decides on.
      setTimeout(() => {
        if (this.#listing !== null && this.#generation === upstream.generation) {
          this.#becomeReady(upstream);
        }
      }, this.#options.listLimitMs).unref();
    } else {
      this.#becomeReady(upstream);
    }
  }

  /**
   * As the agent did, which may not list again by itself: where changed tools are refused, the sidecar lets
   * no call pass on a connection without a list. What changed is refused as before.
   */
  #listAgain(upstream: Upstream, { pages, ...params }: { pages: number; cursor?: string }): void {
    const id = `shim-${upstream.generation}-list-${pages}`;
    this.#listing = { id, pages: pages + 1 };
    upstream.output.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params }));
  }

  #listOn(answer: { result?: unknown }, upstream: Upstream): void {
    const cursor = cursorAfter(answer);
    const pages = this.#listing?.pages ?? 0;
    if (cursor !== null && pages < maxListPages) {
      this.#listAgain(upstream, { pages, cursor });
    } else {
      this.#listing = null;
      this.#becomeReady(upstream);
    }
  }

  #becomeReady(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#wakeAgent();
  }

  #passToAgent(frame: Frame, generation: number): void {
    if (frame.type === 'request') {
      // Another connection may ask with the same id.
      const id = `${generation}:${keyOf(frame.message.id)}`;
      this.#toAgent.write(JSON.stringify({ ...frame.message, id }));
    } else if (frame.type === 'notification' && frame.message.method === 'notifications/cancelled') {
      this.#passCancellation(frame, generation);
    } else if (frame.type !== 'response' || this.#isAwaited(frame)) {
      this.#toAgent.write(frame.line);
    }
  }

  /** Of a question of the server, which the agent knows by another id. */
  #passCancellation({ message }: Frame & { type: 'notification' }, generation: number): void {
    const asked = message.params?.['requestId'];
    const requestId = `${generation}:${JSON.stringify(asked)}`;
    this.#toAgent.write(JSON.stringify({ ...message, params: { ...message.params, requestId } }));
  }

  #isAwaited({ message }: Frame & { type: 'response' }): boolean {
    const { id } = message;
    return id === null || id === undefined || this.#settle(keyOf(id), message);
  }

  /** False for what answers nothing that waits. */
  #settle(key: string, answer: { result?: unknown; error?: unknown }): boolean {
    const asked = this.#inFlight.get(key);
    if (asked === undefined) {
      return false;
    }
    this.#inFlight.delete(key);
    const succeeded = answer.error === undefined;
    if (asked.method === 'initialize' && succeeded) {
      this.#isGreeted = true;
      this.#announced = listsOf(answer.result);
    }
    if (asked.method === 'initialize' && !succeeded) {
      // The agent has its answer, and begins again if it likes.
      this.#hello = null;
    }
    if (asked.method === 'tools/list' && succeeded) {
      this.#hasListed = true;
      this.#options.onListed();
    }
    if (asked.tool !== null) {
      this.#options.onAnswer(key, answerOf(answer));
    }
    return true;
  }

  /** What was asked is not asked again: its outcome is unknown. */
  #lose(): void {
    // One that failed at its handshake was no connection, and what waits for it is told.
    this.#patientUntilMs = this.#upstream === null ? 0 : performance.now() + patienceMs;
    this.#upstream = null;
    this.#listing = null;
    this.#wakeAgent();
    if (this.#closing.signal.aborted) {
      return;
    }
    for (const [key, { id, method, tool }] of [...this.#inFlight]) {
      if (method === 'initialize') {
        continue;
      }
      this.#inFlight.delete(key);
      if (tool !== null) {
        this.#options.onAnswer(key, { failed: true, text: unknownOutcome });
      }
      this.#answerWith({ id, tool }, unknownOutcome);
    }
  }
}

/** Of which of its lists a server says that they may change; that of its tools always. */
function listsOf(result: unknown): string[] {
  const capabilities =
    typeof result === 'object' && result !== null && 'capabilities' in result ? result.capabilities : null;
  const has = (name: string) =>
    typeof capabilities === 'object' && capabilities !== null && name in capabilities;
  return ['tools', ...['prompts', 'resources'].filter(has)];
}
