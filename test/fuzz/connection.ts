/** One connection of an agent through a gate to all servers at once, and its outcome. */
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createByteBudget } from '../../lib/limits/byte-budget.ts';
import type { AuditTrail } from '../../sidecar/audit/audit-trail.ts';
import { createGateMap } from '../../sidecar/gate/gate-map.ts';
import { largeAnswerBytes } from '../../sidecar/json-rpc/lines.ts';
import { createMetrics } from '../../sidecar/metrics.ts';
import { startOfLocalServer } from '../../sidecar/processes/server-start.ts';
import { largeMessageBytes } from '../../sidecar/server-link/agent-lines.ts';
import { createCallGate } from '../../sidecar/server-link/call-gate.ts';
import { serveConnection } from '../../sidecar/server-link/gated-connection.ts';
import { createLastRefusals } from '../../sidecar/server-link/last-refusals.ts';
import { auditTrailOf } from '../support/audit-trail.ts';
import { waitLimitMs } from '../support/eventually.ts';
import { closingRequest, gatedTool, type ProtocolVersion } from './generate-lines.ts';
import type { OracleServer } from './oracle-servers.ts';

/** What is between the agent and the servers; `server` connects to all of them. */
export type Front = (agent: Duplex, server: () => Promise<Duplex>) => Promise<void>;

const limits = {
  lineBytes: 1024 * 1024,
  answerBytes: 10_000_000,
  messageValues: Number.POSITIVE_INFINITY,
  connectTimeoutMs: 60_000,
  callTimeoutMs: 0,
};
const silent = pino({ level: 'silent' });

/** The sidecar's own gate, for which `danger` needs a scope that is never granted. */
export class GateUnderTest {
  /** Calls that passed, by tool. */
  readonly passed = new Map<string, number>();
  readonly #metrics = createMetrics();
  readonly #open = new Map<string, string>();

  get refusals(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [, from, reason, count] of this.#metrics
      .render()
      .matchAll(/^gatepost_gate_refusals_total\{from="(\w+)",reason="(\w+)"\} (\d+)/gm)) {
      counts.set(`${from}: ${reason}`, Number(count));
    }
    return counts;
  }

  readonly front: Front = (agent, server) => {
    const audit = this.#audit();
    const api = {
      checkCall: () =>
        Promise.resolve({
          decision: 'refused' as const,
          code: 'permission_required' as const,
          scope: 'danger.use',
        }),
    };
    return serveConnection(agent, {
      server: 'fuzz',
      side: { connect: server },
      startServer: startOfLocalServer,
      tools: createGateMap({ [gatedTool]: 'danger.use' }),
      toolLists: null,
      clientFeatures: new Set(),
      gate: createCallGate(api, createLastRefusals()),
      audit,
      callBucket: { take: () => 0 },
      largeMessages: createByteBudget(largeMessageBytes),
      largeAnswers: createByteBudget(largeAnswerBytes),
      metrics: this.#metrics,
      logger: silent,
      limits,
    });
  };

  #audit(): AuditTrail {
    return auditTrailOf({
      started: ({ callId, tool }) => {
        this.#open.set(callId, tool);
        this.passed.set(tool, (this.passed.get(tool) ?? 0) + 1);
        return Promise.resolve('recorded');
      },
      finished: (callId, outcome) => {
        const tool = this.#open.get(callId);
        if (tool !== undefined && (outcome === 'refused' || outcome === 'permission_required')) {
          this.passed.set(tool, (this.passed.get(tool) ?? 0) - 1);
        }
        this.#open.delete(callId);
      },
    });
  }
}

/**
 * Sends the lines through the front. Resolves once every server has read everything that passed and
 * `isReported`, to what passed and the servers that ended too early. A server may answer a later line before
 * it executes an earlier one: who counts on what was executed says when it has been reported.
 */
export async function play(
  lines: readonly Uint8Array[],
  protocolVersion: ProtocolVersion,
  front: Front,
  servers: readonly OracleServer[],
  isReported: () => boolean = () => true,
): Promise<{ forwarded: Buffer; closedEarly: string[] }> {
  const [agent, gateSide] = duplexPair();
  const forwarded: Buffer[] = [];
  const readToTheEnd = new Set<string>();
  const closed = new Set<string>();
  const connections: Duplex[] = [];

  const connectAll = async () => {
    const [gateEnd, ourEnd] = duplexPair();
    for (const [index, server] of servers.entries()) {
      const connection = await server.connect();
      connections.push(connection);
      connection.on('error', () => undefined);
      let tail = '';
      connection.on('data', (chunk: Buffer) => {
        tail = (tail + chunk.toString('latin1')).slice(-4096);
        if (/"id":\s*"last"/.test(tail)) {
          readToTheEnd.add(server.name);
        }
        // One server answers; the others' answers differ in nothing that the gate checks.
        if (index === 0) {
          ourEnd.write(chunk);
        }
      });
      connection.once('close', () => closed.add(server.name));
    }
    ourEnd.on('data', (chunk: Buffer) => {
      forwarded.push(chunk);
      for (const connection of connections) {
        connection.write(chunk);
      }
    });
    return gateEnd;
  };

  agent.resume();
  const served = front(gateSide, connectAll);
  const last = Buffer.from(JSON.stringify(closingRequest('last', protocolVersion)));
  for (const line of [...lines, last]) {
    if (!agent.write(Buffer.concat([line, Buffer.from('\n')]))) {
      await new Promise((resolve) => agent.once('drain', resolve));
    }
  }
  const deadline = Date.now() + waitLimitMs;
  const isReading = ({ name }: OracleServer) => !readToTheEnd.has(name) && !closed.has(name);
  while ((servers.some(isReading) || !isReported()) && Date.now() < deadline) {
    await sleep(1);
  }
  const closedEarly = servers.map(({ name }) => name).filter((name) => !readToTheEnd.has(name));
  // Unlike a socket, a pair of streams does not close both ends together.
  agent.destroy();
  gateSide.destroy();
  await served;
  for (const connection of connections) {
    connection.removeAllListeners('close');
    connection.destroy();
  }
  return { forwarded: Buffer.concat(forwarded), closedEarly };
}
