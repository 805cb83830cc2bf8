/**
 * Calls are recorded as they are read, and decided in order: none is checked or forwarded before its turn.
 */
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createByteBudget } from '../../../../lib/limits/byte-budget.ts';
import { createGateMap } from '../../../../sidecar/gate/gate-map.ts';
import { largeAnswerBytes } from '../../../../sidecar/json-rpc/lines.ts';
import { createMetrics } from '../../../../sidecar/metrics.ts';
import { startOfLocalServer } from '../../../../sidecar/processes/server-start.ts';
import { largeMessageBytes } from '../../../../sidecar/server-link/agent-lines.ts';
import { createCallGate } from '../../../../sidecar/server-link/call-gate.ts';
import { serveConnection } from '../../../../sidecar/server-link/gated-connection.ts';
import { createLastRefusals } from '../../../../sidecar/server-link/last-refusals.ts';
import { auditTrailOf } from '../../../support/audit-trail.ts';
import { eventually } from '../../../support/eventually.ts';

/** A connection whose records and checks settle when the test says so. */
function connect() {
  const [agent, gateSide] = duplexPair();
  const [serverSide, server] = duplexPair();
  const records: { tool: string; settle: (kept: boolean) => void }[] = [];
  let waitMs: number | null = 0;
  const checks: { tool: string; settle: (allowed: boolean) => void }[] = [];
  const outcomes: string[] = [];
  const decided: string[] = [];
  const counted: string[] = [];
  const tools = new Map<string, string>();
  const audit = auditTrailOf({
    started: ({ callId, tool }) => {
      tools.set(callId, tool);
      return new Promise((resolve) => {
        const settle = (kept: boolean) => resolve(kept ? 'recorded' : 'audit_unavailable');
        records.push({ tool, settle });
      });
    },
    refusedBeyondLimit: ({ tool }) => {
      counted.push(tool);
      return Promise.resolve('too_many_calls');
    },
    decided: (callId) => decided.push(tools.get(callId) ?? ''),
    finished: (callId, outcome) => outcomes.push(`${tools.get(callId)}: ${outcome}`),
  });
  const checkCall = ({ tool }: { tool: string }) =>
    new Promise<{ decision: 'allowed'; granted_via: string }>((resolve, reject) => {
      const settle = (allowed: boolean) =>
        allowed ? resolve({ decision: 'allowed', granted_via: 'g' }) : reject(new Error('no answer'));
      checks.push({ tool, settle });
    });
  const served = serveConnection(gateSide, {
    server: 'files',
    side: { connect: () => Promise.resolve(serverSide) },
    startServer: startOfLocalServer,
    tools: createGateMap({ write: 'files.write', remove: 'files.remove' }),
    toolLists: null,
    clientFeatures: new Set(),
    gate: createCallGate({ checkCall }, createLastRefusals()),
    audit,
    callBucket: { take: () => waitMs },
    largeMessages: createByteBudget(largeMessageBytes),
    largeAnswers: createByteBudget(largeAnswerBytes),
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
    limits: {
      lineBytes: 65_536,
      answerBytes: 10_000_000,
      messageValues: 1000,
      connectTimeoutMs: 1000,
      callTimeoutMs: 0,
    },
  });
  // Unlike a socket, a pair of streams does not close both ends together.
  const close = () => [agent, gateSide].map((end) => end.destroy());
  const slowDown = (ms: number | null) => {
    waitMs = ms;
  };
  const forwarded = toolsCalledAt(server);
  return { agent, close, records, checks, outcomes, served, decided, counted, slowDown, forwarded };
}

function toolsCalledAt(server: Duplex): string[] {
  const tools: string[] = [];
  server.on('data', (chunk: Buffer) => {
    for (const [, tool] of chunk.toString().matchAll(/"name":"(\w+)"/g)) {
      tools.push(tool ?? '');
    }
  });
  return tools;
}

const opening = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`;
const calls = (...tools: string[]) =>
  opening +
  tools
    .map((name, id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })}\n`)
    .join('');
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('calls that the agent makes without waiting', () => {
  let connection: ReturnType<typeof connect>;
  afterEach(async () => {
    connection.close();
    for (const { settle } of [...connection.records, ...connection.checks]) {
      settle(false);
    }
    await connection.served;
  });
  const open = (...tools: string[]) => {
    connection = connect();
    connection.agent.resume();
    connection.agent.write(calls(...tools));
    return connection;
  };

  it('are all being written before the first is on disk', async () => {
    const { records } = open('one', 'two', 'three');
    await eventually(() => expect(records.map(({ tool }) => tool)).toEqual(['one', 'two', 'three']));
  });

  it('are forwarded in their order, each after its own record', async () => {
    const { records, forwarded } = open('one', 'two', 'three');
    await eventually(() => expect(records).toHaveLength(3));
    records[1]?.settle(true);
    await settled();
    expect(forwarded).toEqual([]);
    records[0]?.settle(true);
    await eventually(() => expect(forwarded).toEqual(['one', 'two']));
    records[2]?.settle(false);
    await settled();
    expect(forwarded).toEqual(['one', 'two']);
  });

  it('are checked in order, at the moment of use', async () => {
    const { records, checks, forwarded, decided } = open('write', 'remove');
    await eventually(() => expect(records).toHaveLength(2));
    for (const { settle } of records) {
      settle(true);
    }
    await eventually(() => expect(checks).toHaveLength(1));
    await settled();
    expect(checks.map(({ tool }) => tool)).toEqual(['write']);
    expect(decided).toEqual([]);
    checks[0]?.settle(true);
    await eventually(() => expect(checks.map(({ tool }) => tool)).toEqual(['write', 'remove']));
    expect(forwarded).toEqual(['write']);
    expect(decided).toEqual(['write']);
  });

  it('are read at the permitted rate, while earlier ones continue', async () => {
    const startedMs = performance.now();
    connection = connect();
    connection.slowDown(200);
    connection.agent.resume();
    connection.agent.write(calls('one', 'two', 'three'));
    const { records, forwarded } = connection;
    await eventually(() => expect(records).toHaveLength(1));
    records[0]?.settle(true);
    await eventually(() => expect(forwarded).toEqual(['one']));
    await eventually(() => expect(records).toHaveLength(3));
    expect(performance.now() - startedMs).toBeGreaterThan(3 * 190);
  });

  it('beyond the queue limit are counted, answered and not forwarded', async () => {
    connection = connect();
    connection.slowDown(null);
    let answered = '';
    connection.agent.on('data', (chunk: Buffer) => {
      answered += chunk.toString();
    });
    connection.agent.write(calls('one'));
    const { records, counted, forwarded } = connection;
    await eventually(() => expect(answered).toContain('too_many_calls'));
    expect({ counted, records, forwarded }).toEqual({ counted: ['one'], records: [], forwarded: [] });
  });

  it('that are not reached are recorded as refused', async () => {
    const { close, records, outcomes, forwarded } = open('one', 'two', 'three');
    await eventually(() => expect(records).toHaveLength(3));
    close();
    await settled();
    for (const { settle } of records) {
      settle(true);
    }
    await eventually(() =>
      expect([...outcomes].sort()).toEqual(['one: refused', 'three: refused', 'two: refused']),
    );
    expect(forwarded).toEqual([]);
  });
});
