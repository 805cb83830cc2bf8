/** The dependencies of a connection of the agent to one MCP server. */
import type { Logger } from 'pino';
import type { ClientFeature } from '../../contract/catalog.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { GateMap } from '../gate/gate-map.ts';
import type { Metrics } from '../metrics.ts';
import type { Pace } from '../pace/pace.ts';
import type { StartServer } from '../processes/server-start.ts';
import type { CallGate } from './call-gate.ts';
import type { ServerSide } from './server-side.ts';

export interface LinkParts {
  server: string;
  side: ServerSide;
  startServer: StartServer;
  tools: GateMap;
  /** What the server may ask of the agent. */
  clientFeatures: ReadonlySet<ClientFeature>;
  gate: CallGate;
  audit: AuditTrail;
  /** The rate of calls of the whole session. */
  callPace: Pace;
  metrics: Metrics;
  logger: Logger;
  limits: {
    lineBytes: number;
    /** Max JSON values that the server accepts in one message. */
    messageValues: number;
    connectTimeoutMs: number;
    callTimeoutMs: number;
  };
}
