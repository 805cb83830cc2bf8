/** Calls that are checked together, and an allowance that comes before its call can be forwarded. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { sha256OfCall } from '../../../../contract/call-digest.ts';
import type { CheckAnswer } from '../../../../contract/sidecar.ts';
import { createByteBudget } from '../../../../lib/limits/byte-budget.ts';
import { createGateMap } from '../../../../sidecar/gate/gate-map.ts';
import { largeAnswerBytes } from '../../../../sidecar/json-rpc/lines.ts';
import { createMetrics } from '../../../../sidecar/metrics.ts';
import type { CheckRequest } from '../../../../sidecar/platform-api/platform-api.ts';
import { startOfLocalServer } from '../../../../sidecar/processes/server-start.ts';
import { largeMessageBytes } from '../../../../sidecar/server-link/agent-lines.ts';
import { createCallGate } from '../../../../sidecar/server-link/call-gate.ts';
import { serveConnection } from '../../../../sidecar/server-link/gated-connection.ts';
import { createLastRefusals } from '../../../../sidecar/server-link/last-refusals.ts';
import { auditTrailOf } from '../../../support/audit-trail.ts';
import { eventually } from '../../../support/eventually.ts';
import { loopTurns } from '../../../support/loop-turns.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const call = (id: number, name = 'write', text = '') =>
  line({ id, method: 'tools/call', params: { name, arguments: { text } } });

interface Check {
  callId: string;
  sha256: string | undefined;
  /** Whether the check says that the call passed before and could not be forwarded. */
  isUnforwarded: boolean;
  answer(decision: 'allowed' | 'refused'): void;
}

let directory: string;
let sides: Duplex[];
let agent: Duplex;
let server: Socket;
let served: Promise<void>;
let checks: Check[];
let started: number;
let outcomes: string[];
let answered: string;
let onCheck: (check: Check) => void;

/** The server is behind a real socket, whose buffers fill up when it does not read. */
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gc-'));
  const listener = createServer().listen(join(directory, 's'));
  await once(listener, 'listening');
  const connecting = connectSocket(join(directory, 's'));
  const [near] = (await once(listener, 'connection')) as [Socket];
  server = connecting;
  listener.close();
  const [agentEnd, gateSide] = duplexPair();
  agent = agentEnd;
  sides = [agentEnd, gateSide, near, server];
  [checks, started, outcomes, answered] = [[], 0, [], ''];
  onCheck = () => undefined;
  agent.on('data', (chunk: Buffer) => {
    answered += chunk.toString();
  });
  const checkCall = ({ call_id: callId, call_sha256: sha256, unforwarded }: CheckRequest) =>
    new Promise<CheckAnswer>((resolve) => {
      const answer: Check['answer'] = (decision) =>
        resolve(
          decision === 'allowed'
            ? { decision, granted_via: callId }
            : { decision, code: 'permission_required', scope: 'files.write' },
        );
      const check = { callId, sha256, isUnforwarded: unforwarded === true, answer };
      checks.push(check);
      onCheck(check);
    });
  served = serveConnection(gateSide, {
    server: 'files',
    entryVersion: 3,
    side: { connect: () => Promise.resolve(near) },
    startServer: startOfLocalServer,
    tools: createGateMap({ write: 'files.write' }),
    toolLists: null,
    clientFeatures: new Set(),
    gate: createCallGate({ checkCall }, createLastRefusals()),
    audit: auditTrailOf({
      started: () => {
        started += 1;
        return Promise.resolve('recorded');
      },
      finished: (_callId, outcome) => void outcomes.push(outcome),
    }),
    callBucket: { take: () => 0 },
    largeMessages: createByteBudget(largeMessageBytes),
    largeAnswers: createByteBudget(largeAnswerBytes),
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
    limits: {
      lineBytes: 1_048_576,
      answerBytes: 10_000_000,
      messageValues: 1000,
      connectTimeoutMs: 1000,
      callTimeoutMs: 0,
    },
  });
});
afterEach(async () => {
  sides.forEach((side) => void side.destroy());
  for (const { answer } of checks) {
    answer('refused');
  }
  await served;
  rmSync(directory, { recursive: true });
});

/** The ids and methods that arrive at the server, from now on. */
function arrivals(): (number | string)[] {
  const arrived: (number | string)[] = [];
  let rest = '';
  server.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const { id, method } of lines.map((text) => JSON.parse(text) as { id?: number; method: string })) {
      arrived.push(method === 'tools/call' ? (id ?? '') : method);
    }
  });
  return arrived;
}

it('asks about calls that arrive during a check together, and forwards each in its order', async () => {
  const arrived = arrivals();
  agent.write(call(1) + call(2) + call(3));
  await eventually(() => expect(checks).toHaveLength(1));
  await settled();
  expect(checks).toHaveLength(1);
  checks[0]?.answer('allowed');
  await eventually(() => expect(checks).toHaveLength(3));
  checks[1]?.answer('refused');
  checks[2]?.answer('allowed');
  await eventually(() => expect(arrived).toEqual([1, 3]));
  expect(checks).toHaveLength(3);
  expect(answered).toContain('permission_required');
  expect(outcomes).toEqual(['permission_required']);
});

it('names each call in its check', async () => {
  onCheck = ({ answer }) => answer('refused');
  agent.write(call(1, 'write', 'x') + call(2, 'write', 'y') + call(3, 'write', 'x'));
  await eventually(() => expect(outcomes).toHaveLength(3));
  const [x, y] = ['x', 'y'].map((text) =>
    sha256OfCall({
      ...{ server: 'files', tool: 'write', entryVersion: 3 },
      argumentsText: JSON.stringify({ text }),
    }),
  );
  expect(checks.map(({ sha256 }) => sha256)).toEqual([x, y, x]);
});

it.each([
  ['still allowed', 'allowed', [1, 2, 3]],
  ['revoked or expired in the meantime', 'refused', [1, 2]],
] as const)('checks a call again that waited for its turn: %s', async (_what, decision, expected) => {
  const arrived = arrivals();
  agent.write(call(1) + call(2) + call(3));
  await eventually(() => expect(checks).toHaveLength(1));
  await settled();
  checks[0]?.answer('allowed');
  await eventually(() => expect(checks).toHaveLength(3));
  checks[2]?.answer('allowed');
  await settled();
  await settled();
  checks[1]?.answer('allowed');
  await eventually(() => expect(checks).toHaveLength(4));
  expect(checks[3]).toMatchObject({ callId: checks[2]?.callId, sha256: checks[2]?.sha256 });
  expect(checks.map(({ isUnforwarded }) => isUnforwarded)).toEqual([false, false, false, true]);
  expect(arrived).toEqual([1, 2]);
  checks[3]?.answer(decision);
  await eventually(() => expect(arrived).toEqual(expected));
  await eventually(() => expect(outcomes).toEqual(decision === 'allowed' ? [] : ['permission_required']));
});

it('forwards nothing after a revoke to a server that does not read, but what it had been given', async () => {
  let isRevoked = false;
  let allowed = 0;
  onCheck = ({ answer }) => {
    allowed += isRevoked ? 0 : 1;
    answer(isRevoked ? 'refused' : 'allowed');
  };
  const text = 'x'.repeat(20_000);
  agent.write(Array.from({ length: 200 }, (_, id) => call(id, 'write', text)).join(''));
  let before = -1;
  await eventually(async () => {
    const stillGoing = before !== allowed;
    before = allowed;
    await loopTurns();
    expect({ stillGoing, stalled: allowed > 1 && allowed < 200 }).toEqual({
      stillGoing: false,
      stalled: true,
    });
  });
  const given = sides[2] as Socket;
  const inSocket = given.bytesWritten - given.writableLength;
  isRevoked = true;
  const arrived = arrivals();
  await eventually(() => expect(outcomes.length + arrived.length).toBe(200));
  // One line may have been on its way into a buffer that was full.
  expect(arrived.length).toBeLessThanOrEqual(Math.ceil(inSocket / 20_000) + 1);
  expect(arrived.length).toBeLessThan(200);
  expect(new Set(outcomes)).toEqual(new Set(['permission_required']));
});

it('keeps the id of a call that is being checked', async () => {
  agent.write(call(7) + call(7) + call(8));
  await eventually(() => expect(checks).toHaveLength(1));
  await settled();
  expect(checks).toHaveLength(1);
  const arrived = arrivals();
  checks[0]?.answer('allowed');
  await eventually(() => expect(arrived).toEqual([7]));
  await eventually(() => expect(checks).toHaveLength(2));
  expect(outcomes).toEqual(['refused']);
});

it('lets every other message wait for the calls before it', async () => {
  const arrived = arrivals();
  const cancel = line({ method: 'notifications/cancelled', params: { requestId: 1 } });
  agent.write(call(1) + cancel + call(2, 'read') + call(3));
  await eventually(() => expect(checks).toHaveLength(1));
  await settled();
  expect(arrived).toEqual([]);
  checks[0]?.answer('allowed');
  await eventually(() => expect(arrived).toEqual([1, 'notifications/cancelled', 2]));
  await eventually(() => expect(checks).toHaveLength(2));
  expect(outcomes).toEqual(['cancelled']);
});

it('answers calls that are being checked when the server is lost, and then closes', async () => {
  agent.write(call(1) + call(2));
  await eventually(() => expect(checks).toHaveLength(1));
  await settled();
  server.destroy();
  await settled();
  await settled();
  checks[0]?.answer('allowed');
  await served;
  await eventually(() =>
    expect(answered.match(/server_unavailable/g)?.length ?? 0).toBeGreaterThanOrEqual(2),
  );
  expect(outcomes).toEqual(['server_unavailable', 'server_unavailable']);
  expect(checks).toHaveLength(1);
});

it('forwards nothing that was being checked when the agent left', async () => {
  const arrived = arrivals();
  agent.write(call(1) + call(2));
  await eventually(() => expect(checks).toHaveLength(1));
  await settled();
  sides.slice(0, 2).forEach((side) => void side.destroy());
  await settled();
  checks[0]?.answer('allowed');
  await served;
  expect(arrived).toEqual([]);
  expect(outcomes).toEqual(['refused', 'refused']);
});

it('holds a few megabytes of calls that are being checked, however many the agent sends, and decides on each', async () => {
  onCheck = ({ answer }) => checks.length > 1 && answer('refused');
  const text = 'x'.repeat(200_000);
  agent.write(Array.from({ length: 100 }, (_, id) => call(id, 'write', text)).join(''));
  await eventually(() => expect(checks).toHaveLength(1));
  let before = -1;
  await eventually(async () => {
    const stillGoing = before !== started;
    before = started;
    await loopTurns();
    expect(stillGoing).toBe(false);
  });
  expect(started).toBeLessThan(30);
  checks[0]?.answer('refused');
  await eventually(() => expect(outcomes).toHaveLength(100));
});
