/** What a connection of the agent to one MCP server is made of. */
import type { Logger } from 'pino';
import type { ClientFeature } from '../../contract/catalog.ts';
import type { ByteBudget } from '../../lib/limits/byte-budget.ts';
import type { TokenBucket } from '../../lib/limits/token-bucket.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { GateMap } from '../gate/gate-map.ts';
import type { ProtocolVersion } from '../gate/method-policy.ts';
import type { LineWriter } from '../json-rpc/lines.ts';
import type { RequestId } from '../json-rpc/message.ts';
import type { Metrics } from '../metrics.ts';
import type { ServerStart, StartServer } from '../processes/server-start.ts';
import type { ConnectionLists, ToolLists } from '../tool-lists/tool-lists.ts';
import type { AgentLine } from './agent-lines.ts';
import type { CallGate, ServerState } from './call-gate.ts';
import type { GatedCalls } from './gated-calls.ts';
import type { Ledger } from './ledger.ts';
import type { Replies } from './replies.ts';
import type { ServerSide } from './server-side.ts';
import type { OpenAnswer } from './unreadable-answers.ts';

export interface LinkDependencies {
  server: string;
  /** Of its catalog entry; the platform's own server has none. */
  entryVersion?: number | undefined;
  side: ServerSide;
  startServer: StartServer;
  tools: GateMap;
  /** What it lists of its tools; null for the platform's own server. */
  toolLists: ToolLists | null;
  /** What the server may ask of the agent. */
  clientFeatures: ReadonlySet<ClientFeature>;
  gate: CallGate;
  audit: AuditTrail;
  /** The rate of calls of the whole session. */
  callBucket: Pick<TokenBucket, 'take'>;
  /** Memory for large messages of the agent, in the whole session. */
  largeMessages: ByteBudget;
  metrics: Metrics;
  logger: Logger;
  /** Memory for large answers of all servers of the session. */
  largeAnswers: ByteBudget;
  limits: {
    /** Of a message of the agent. */
    lineBytes: number;
    /** Of a message of the server. */
    answerBytes: number;
    /** Max JSON values that the server accepts in one message. */
    messageValues: number;
    connectTimeoutMs: number;
    callTimeoutMs: number;
  };
}

/** One connection, as the handlers of its two directions share it. */
export interface AgentConnection {
  readonly dependencies: LinkDependencies;
  readonly ledger: Ledger;
  readonly replies: Replies;
  readonly start: ServerStart;
  readonly lists: ConnectionLists | null;
  readonly gatedCalls: GatedCalls;
  /** The server's requests that the agent has not answered, by slot. */
  readonly serverIds: Map<string, RequestId>;
  /** A message of the server over several lines, as far as it came. */
  readonly unreadable: { open: OpenAnswer | null };
  protocolVersion: ProtocolVersion;
  readonly isClosed: boolean;
  readonly serverIsLost: boolean;
  /** Connects the server's side on the first use. When no server connects in time, the next call retries. */
  connect(): Promise<ServerState>;
  readonly toAgent: LineWriter;
  /** Null before the server's side is connected. */
  readonly toServer: LineWriter | null;
  /** The connection ended before the turn of this line. */
  leave(line: AgentLine): void;
  /** The server ended: fails its pending requests, and lets the agent's client reconnect. */
  loseServer(): Promise<void>;
}
