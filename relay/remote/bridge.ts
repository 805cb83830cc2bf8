/** Bridges an agent's side, one JSON-RPC message a line, to a remote MCP server over Streamable HTTP. */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { BridgeConfig } from '../../contract/remote-server.ts';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { resolveByLookup } from '../../lib/outbound/resolve-names.ts';
import { LineOutput, readLines } from '../../lib/timing/lines.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import {
  cancelledRequest,
  isObject,
  type Members,
  messageForTransport,
  parseAgentMessage,
} from './agent-message.ts';
import { createTransport } from './create-transport.ts';
import { keyHeader } from './guarded-fetch.ts';
import { type BridgeLimits, defaultBridgeLimits } from './limits.ts';
import { type OpenMessage, OpenMessages } from './open-messages.ts';
import { errorText, explainFailure, RemoteError, type RequestId } from './remote-error.ts';
import { SealedMessages } from './sealed-messages.ts';
import type { StaticCredential } from './static-headers.ts';
import { ToolHeaders } from './tool-headers.ts';

/** Of one connection. */
const maxReports = 200;

export interface BridgeOptions {
  config: BridgeConfig;
  credential: StaticCredential;
  input: Readable;
  output: Writable;
  /** One line for the operator. */
  report(line: string): void;
  /** Aborted: ends the bridge. */
  signal: AbortSignal;
  limits?: BridgeLimits;
  resolveName?: ResolveName;
}

/**
 * Bridges until the input ends, `signal` is aborted, or the server ends its session, which only the
 * agent can begin again. Then it ends what is open, and the session at the server, within a limit. Never
 * throws for what a server does.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
  const bridge = new Bridge(options);
  const { signal, output } = options;
  const stop = () => bridge.stop();
  signal.addEventListener('abort', stop);
  output.on('error', stop);
  if (signal.aborted) {
    stop();
  }
  try {
    await bridge.run();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

class Bridge {
  readonly #options: BridgeOptions;
  readonly #limits: BridgeLimits;
  readonly #output: LineOutput;
  readonly #messages: OpenMessages;
  readonly #sealed = new SealedMessages();
  readonly #toolHeaders = new ToolHeaders();
  readonly #transport: StreamableHTTPClientTransport;
  /** Whether the agent speaks 2026-07-28 or later, by its last request. */
  #isModern = false;
  #isExpired = false;
  #reports = 0;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultBridgeLimits;
    this.#output = new LineOutput(options.output);
    this.#messages = new OpenMessages(this.#limits);
    this.#transport = createTransport({
      config: options.config,
      credential: options.credential,
      resolveName: options.resolveName ?? resolveByLookup,
      limits: this.#limits,
      messages: this.#messages,
      sealed: this.#sealed,
      output: this.#output,
      fail: (open, error) => this.#fail(open, error),
      report: (line) => this.#report(line),
    });
    this.#transport.onmessage = (passed) => this.#deliver(passed);
  }

  /** Ends the input and whatever is waited for. */
  stop(): void {
    this.#options.input.destroy();
    this.#output.stopWaiting();
    this.#messages.closeAll();
  }

  async run(): Promise<void> {
    const { input } = this.#options;
    await this.#transport.start();
    try {
      for await (const line of readLines(input, this.#limits.messageBytes)) {
        await this.#take(line);
        await this.#output.hasRoom();
        if (this.#isExpired) {
          break;
        }
      }
    } catch {
      // The input was destroyed, or the other side is gone: either ends the bridge.
    }
    await this.#end();
  }

  async #take(line: Buffer | null): Promise<void> {
    try {
      if (line === null) {
        const { messageBytes } = this.#limits;
        throw new RemoteError('invalid_message', `The message is larger than ${messageBytes} bytes.`);
      }
      await this.#send(line);
    } catch (error) {
      this.#output.write(errorText(idIn(line), explainFailure(error)));
    }
  }

  /**
   * Requests go side by side. Anything else keeps its place: it may concern the requests before
   * it, or what comes after it.
   */
  async #send(line: Buffer): Promise<void> {
    const message = parseAgentMessage(line);
    if (message.kind === 'request') {
      this.#isModern = message.revision !== null;
      void this.#post(this.#messages.add(message, line));
      return;
    }
    const cancelled = cancelledRequest(message);
    const target = cancelled === null ? null : this.#messages.byId(cancelled);
    if (cancelled !== null && (this.#isModern || target?.isSent === false)) {
      // In 2026-07-28 the end of its stream cancels a request, and one that was not sent needs no notice.
      this.#close(target);
      return;
    }
    await this.#messages.allSent();
    const open = this.#messages.add(message, line);
    await abandonAfter(this.#limits.notificationMs, this.#post(open), () => undefined);
    this.#close(target);
  }

  async #post(open: OpenMessage): Promise<void> {
    const { message } = open;
    const isCall = message.kind === 'request' && message.method === 'tools/call' && open.isModern;
    try {
      await this.#transport.send(messageForTransport(message), {
        requestSignal: open.signal,
        headers: { ...(isCall ? this.#toolHeaders.headersFor(message.params) : {}), [keyHeader]: open.key },
        onRequestStreamEnd: () => this.#fail(open, this.#noAnswer()),
      });
      if (open.id === null) {
        this.#close(open);
      }
    } catch (error) {
      this.#fail(open, error);
    }
  }

  /** A server that keeps failing fills no log. */
  #report(line: string): void {
    this.#reports += 1;
    if (this.#reports <= maxReports) {
      this.#options.report(line);
    }
  }

  #noAnswer(): RemoteError {
    const { host } = new URL(this.#options.config.url);
    return new RemoteError(
      'answer_refused',
      `${host} ended its stream without an answer; whether it did what was asked is not known`,
    );
  }

  #close(open: OpenMessage | null): void {
    if (open !== null) {
      this.#messages.close(open);
    }
  }

  #deliver(passed: JSONRPCMessage): void {
    const message = this.#sealed.open(passed);
    if (message === null) {
      return;
    }
    const { text, value, answers } = message;
    if (answers !== null) {
      const target = this.#messages.byId(answers);
      if (target === null) {
        return;
      }
      this.#learn(target, value['result']);
      this.#messages.close(target);
    }
    this.#output.write(text);
    this.#close(this.#endedSubscription(value));
  }

  /** In 2026-07-28 a server ends a subscription with a notification, in the place of an answer. */
  #endedSubscription({ method, params }: Members): OpenMessage | null {
    const id = method === 'notifications/cancelled' && isObject(params) ? params['requestId'] : null;
    const target = typeof id === 'string' || typeof id === 'number' ? this.#messages.byId(id) : null;
    return target?.isModern ? target : null;
  }

  #learn({ message }: OpenMessage, result: unknown): void {
    const method = message.kind === 'request' ? message.method : '';
    if (method === 'tools/list') {
      this.#toolHeaders.learn(result);
    }
    const version = method === 'initialize' && isObject(result) ? result['protocolVersion'] : null;
    if (typeof version === 'string' && /^[\x21-\x7e]{1,100}$/.test(version)) {
      this.#transport.setProtocolVersion(version);
    }
  }

  /** Of the server's own stream (null) nobody waits for an answer. */
  #fail(open: OpenMessage | null, error: unknown): void {
    if (open !== null && !this.#messages.close(open)) {
      return;
    }
    const explained = explainFailure(error);
    this.#report(explained.message);
    if (open !== null && open.id !== null) {
      this.#output.write(errorText(open.id, explained));
    }
    this.#endWithSession(explained);
  }

  /** The agent has to begin another session itself: what it agreed on with the server ended with this one. */
  #endWithSession(error: RemoteError): void {
    if (error.code !== 'session_expired' || this.#isExpired) {
      return;
    }
    this.#isExpired = true;
    for (const open of this.#messages.requests()) {
      this.#fail(open, error);
    }
    this.stop();
  }

  async #end(): Promise<void> {
    this.#messages.closeAll();
    if (!this.#isExpired) {
      const ended = this.#transport.terminateSession().catch(() => undefined);
      await abandonAfter(this.#limits.endSessionMs, ended, () => undefined);
    }
    await this.#transport.close();
    await abandonAfter(this.#limits.endSessionMs, this.#output.flushed(), () => undefined);
  }
}

/** The id of a request that cannot be sent, when it can be read. */
function idIn(line: Buffer | null): RequestId | null {
  try {
    const message = line === null ? null : parseAgentMessage(line);
    return message?.kind === 'request' ? message.id : null;
  } catch {
    return null;
  }
}
