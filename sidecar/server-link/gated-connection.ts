/**
 * One connection of the agent to one MCP server: a loop for each side, and a close. The loops read lines;
 * `agent-messages` and `server-messages` decide on each and forward the original bytes. It lives as long as
 * the agent's side; the server's side is exclusive to it and closed with it.
 */
import type { Duplex } from 'node:stream';
import type { ProtocolVersion } from '../gate/method-policy.ts';
import { LineWriter, readLines } from '../json-rpc/lines.ts';
import type { RequestId } from '../json-rpc/message.ts';
import type { ServerStart } from '../processes/server-start.ts';
import type { ConnectionLists } from '../tool-lists/tool-lists.ts';
import { type AgentLine, readAgentLines } from './agent-lines.ts';
import { handleAgentLine } from './agent-messages.ts';
import { lossText, type ServerState } from './call-gate.ts';
import { GatedCalls } from './gated-calls.ts';
import { Ledger } from './ledger.ts';
import type { AgentConnection, LinkDependencies } from './link-dependencies.ts';
import { createReplies, type Replies } from './replies.ts';
import { failLateCall, handleServerLine } from './server-messages.ts';

/** Answers may still arrive for this long after the agent stopped sending. */
const lastAnswersMs = 10_000;

/**
 * `handling`: a message of the agent has its turn, and gets its answer before a lost server closes the
 * connection, as a call that is being checked does in every phase.
 */
type Phase = 'idle' | 'handling' | 'server_lost' | 'closed' | 'closed_after_loss';

/** Serves until the agent's connection ends. Never throws; leaves nothing behind. */
export async function serveConnection(agent: Duplex, dependencies: LinkDependencies): Promise<void> {
  await new GatedConnection(agent, dependencies).run();
}

class GatedConnection implements AgentConnection {
  readonly dependencies: LinkDependencies;
  readonly ledger: Ledger;
  readonly replies: Replies;
  readonly start: ServerStart;
  readonly lists: ConnectionLists | null;
  readonly gatedCalls: GatedCalls = new GatedCalls(this);
  readonly serverIds = new Map<string, RequestId>();
  readonly unreadable: AgentConnection['unreadable'] = { open: null };
  readonly toAgent: LineWriter;
  toServer: LineWriter | null = null;
  protocolVersion: ProtocolVersion = 'opening';
  readonly #agent: Duplex;
  #server: Duplex | null = null;
  #phase: Phase = 'idle';

  constructor(agent: Duplex, dependencies: LinkDependencies) {
    this.#agent = agent;
    this.dependencies = dependencies;
    this.toAgent = new LineWriter(agent, () => this.#close());
    this.ledger = new Ledger(dependencies, (request) => void failLateCall(request, this));
    this.replies = createReplies(dependencies, this.toAgent);
    this.lists = dependencies.toolLists?.connect() ?? null;
    this.start = dependencies.startServer(() => void this.loseServer());
  }

  get isClosed(): boolean {
    return this.#phase === 'closed' || this.#phase === 'closed_after_loss';
  }

  get serverIsLost(): boolean {
    return this.#phase === 'server_lost' || this.#phase === 'closed_after_loss';
  }

  get #isOver(): boolean {
    return this.isClosed || this.serverIsLost;
  }

  async run(): Promise<void> {
    this.#agent.once('close', () => this.#close());
    try {
      await this.#readAgent();
      await this.gatedCalls.settled();
      await this.ledger.whenEmpty(lastAnswersMs);
    } catch {
      // An error of the agent's side counts as its end.
    }
    this.#close();
    await this.gatedCalls.settled();
  }

  async #readAgent(): Promise<void> {
    const dependencies = { ...this.dependencies, ledger: this.ledger };
    const onLeft = (line: AgentLine) => {
      this.leave(line);
      line.release();
    };
    for await (const lines of readAgentLines(this.#agent, dependencies, onLeft)) {
      this.#enter('handling');
      for (const line of lines) {
        await (this.#isOver ? this.leave(line) : handleAgentLine(line, this));
        line.release();
      }
      this.#enter('idle');
      if (this.#isOver) {
        return;
      }
    }
  }

  async #readServer(server: Duplex): Promise<void> {
    try {
      const { limits, largeAnswers } = this.dependencies;
      for await (const lines of readLines(server, limits.answerBytes, largeAnswers)) {
        for (const line of lines) {
          await handleServerLine(line, this);
          line.release?.();
        }
      }
    } catch {
      // An error of the server's side counts as its end.
    }
    await this.loseServer();
  }

  async connect(): Promise<ServerState> {
    if (this.#server || this.isClosed) {
      return { isConnected: this.#server !== null, cause: null };
    }
    const server = await this.dependencies.side.connect(this.dependencies.limits.connectTimeoutMs);
    if (!server) {
      return { isConnected: false, cause: await this.start.lost() };
    }
    if (this.isClosed) {
      endDuplex(server);
      return { isConnected: false, cause: null };
    }
    this.#server = server;
    this.toServer = new LineWriter(server, () => this.loseServer());
    this.start.connected();
    void this.#readServer(server);
    return { isConnected: true, cause: null };
  }

  /** An open connection changes between the two. */
  #enter(phase: 'idle' | 'handling'): void {
    if (!this.#isOver) {
      this.#phase = phase;
    }
  }

  leave({ call }: AgentLine): void {
    call?.end(this.serverIsLost ? 'server_unavailable' : 'refused');
  }

  async loseServer(): Promise<void> {
    if (this.#isOver) {
      return;
    }
    const isHandling = this.#phase === 'handling';
    this.#phase = 'server_lost';
    this.#server?.destroy();
    const cause = await this.start.lost();
    for (const request of this.ledger.failAll('unknown')) {
      await this.replies.failRequest(request, { why: lossText(cause, this.start.limitMs), cause });
    }
    if (!isHandling) {
      void this.gatedCalls.settled().then(() => this.#close());
    }
  }

  #close(): void {
    if (this.isClosed) {
      return;
    }
    this.#phase = this.serverIsLost ? 'closed_after_loss' : 'closed';
    clearTimeout(this.unreadable.open?.timer);
    this.start.left();
    this.lists?.close();
    this.ledger.close();
    for (const side of this.#server ? [this.#server, this.#agent] : [this.#agent]) {
      endDuplex(side);
    }
  }
}

const closeMs = 1000;

/** Flushes what was written, then destroys the stream. */
function endDuplex(stream: Duplex): void {
  stream.end();
  const timer = setTimeout(() => stream.destroy(), closeMs);
  stream.once('close', () => clearTimeout(timer));
  stream.resume();
}
