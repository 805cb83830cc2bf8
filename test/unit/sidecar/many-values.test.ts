/** A megabyte of small values, sent to where the sidecar parses it at once, blocks nothing else for long. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { agentEventInput } from '../../../contract/agent-contract.ts';
import { holdsMoreValues, maxToolMessageValues } from '../../../contract/json-values.ts';
import { createByteBudget } from '../../../lib/limits/byte-budget.ts';
import { createSemaphore } from '../../../lib/limits/semaphore.ts';
import { createAgentHttp } from '../../../sidecar/agent-http/agent-http.ts';
import { createGateMap } from '../../../sidecar/gate/gate-map.ts';
import { closeHttp } from '../../../sidecar/http/listen-http.ts';
import { parseJsonBody } from '../../../sidecar/http/read-body.ts';
import { createInbox } from '../../../sidecar/inputs/inbox.ts';
import { largeAnswerBytes } from '../../../sidecar/json-rpc/lines.ts';
import { LiveText } from '../../../sidecar/live-text/live-text.ts';
import { createMetrics } from '../../../sidecar/metrics.ts';
import { createPlatformApi } from '../../../sidecar/platform-api/platform-api.ts';
import { servePlatformTools } from '../../../sidecar/platform-tools/platform-server.ts';
import { startOfLocalServer } from '../../../sidecar/processes/server-start.ts';
import { largeMessageBytes } from '../../../sidecar/server-link/agent-lines.ts';
import { createCallGate } from '../../../sidecar/server-link/call-gate.ts';
import { serveConnection } from '../../../sidecar/server-link/gated-connection.ts';
import { createLastRefusals } from '../../../sidecar/server-link/last-refusals.ts';
import { createLocalSide } from '../../../sidecar/server-link/server-side.ts';
import { auditTrailOf } from '../../support/audit-trail.ts';
import { bestRatio } from '../../support/loop-hold.ts';

const logger = pino({ level: 'silent' });
// Nothing listens there: what is refused is never sent.
const api = createPlatformApi({ apiUrl: 'http://127.0.0.1:1', sessionId: 's', token: 't' });
const inbox = createInbox();
const lastRefusals = createLastRefusals();

/** A megabyte that must be refused for its number of values alone. */
const megabyte: [string, string][] = [
  ['empty objects', `{"scope":"a.b","a":[${'{},'.repeat(330_000)}0]}`],
  [
    'members',
    `{"scope":"a.b",${Array.from({ length: 50_000 }, (_, at) => `"${at.toString(36)}":"some value"`).join()}}`,
  ],
];
const asking = (details: string) =>
  `{"grant_type":"tool_scope","scope":"once","justification":"please","details":${details}}`;
const callOf = (id: number, details: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"request_grant","arguments":${asking(details)}}}\n`;
const eventOf = (details: string) => `{"type":"agent.permission_request","payload":${asking(details)}}`;

/** A connection of an agent to the platform's own tools, as `start-sidecar` creates it. */
async function connectToPlatform(messageValues: number) {
  const [agent, gateSide] = duplexPair();
  const audit = auditTrailOf({});
  const settings = {
    hasOperator: true,
    inlineArtifactBytes: 512 * 1024,
    maxWaitSeconds: 300,
    lineBytes: 1024 * 1024,
    answerBytes: 10_000_000,
  };
  const relayedTools = { list: async () => [] };
  const waits = createSemaphore({ permits: 1 });
  const dependencies = { api, inbox, lastRefusals, waits, relayedTools, ...settings };
  const served = serveConnection(gateSide, {
    server: 'platform',
    side: createLocalSide(async (connection) => servePlatformTools(connection, dependencies, logger)),
    startServer: startOfLocalServer,
    tools: createGateMap({}),
    toolLists: null,
    clientFeatures: new Set(),
    gate: createCallGate(api, lastRefusals),
    audit,
    callBucket: { take: () => 0 },
    largeMessages: createByteBudget(largeMessageBytes),
    largeAnswers: createByteBudget(largeAnswerBytes),
    metrics: createMetrics(),
    logger,
    limits: {
      lineBytes: 1024 * 1024,
      answerBytes: 10_000_000,
      messageValues,
      connectTimeoutMs: 10_000,
      callTimeoutMs: 0,
    },
  });
  const ask = async (line: string): Promise<string> => {
    let answer = '';
    agent.write(line);
    for (; !answer.endsWith('\n'); ) {
      answer += String((await once(agent, 'data'))[0]);
    }
    return answer;
  };
  await ask(
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}\n',
  );
  agent.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    ask,
    async close() {
      agent.destroy();
      gateSide.destroy();
      await served;
    },
  };
}

/** Expects blocking for less than half of the time of reading all of it at once, or 30 ms. */
async function expectBrief(work: () => Promise<unknown>, readAll: () => unknown) {
  const ratio = await bestRatio({ subject: work, control: readAll, below: 0.5, leastControlMs: 60 });
  expect(ratio).toBeLessThan(0.5);
}

describe('a megabyte of small values to the server platform', () => {
  it.each(megabyte)('is refused with its reason, and does not block for long: %s', async (_what, details) => {
    const unbounded = await connectToPlatform(Number.POSITIVE_INFINITY);
    const platform = await connectToPlatform(maxToolMessageValues);
    let id = 1;
    const refused = async () => {
      id += 1;
      expect(JSON.parse(await platform.ask(callOf(id, details)))).toEqual({
        jsonrpc: '2.0',
        id,
        error: {
          code: -32602,
          message:
            'The platform does not let this message pass: too_many_values: params may hold 9000 values at most',
          data: { code: 'invalid_message', reason: 'too_many_values' },
        },
      });
    };
    // The control is parsed to its end.
    await expectBrief(refused, async () =>
      expect(await unbounded.ask(callOf(++id, details))).toContain('details: must not have'),
    );
    await unbounded.close();
    const one = callOf(id + 1, '{"scope":"a.b","b":[{},{"c":",[{"}]}');
    expect(await platform.ask(one)).toContain('details: must not have b');
    await platform.close();
  });
});

describe('a megabyte of small values to POST /event', () => {
  let server: Server;
  let socketPath: string;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'e-'));
    socketPath = join(directory, 's');
    const limits = { eventBytes: 1024 * 1024, artifactBytes: 1024 };
    const liveText = new LiveText(api);
    server = createAgentHttp({ api, liveText, inbox, lastRefusals, limits }).listen(socketPath);
    await once(server, 'listening');
  });
  afterAll(async () => {
    await closeHttp(server);
    await rm(directory, { recursive: true });
  });

  const post = (body: Buffer) =>
    new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
      const call = request({ socketPath, method: 'POST', path: '/event', agent: false }, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode, body: JSON.parse(text) });
      });
      call.on('error', reject);
      call.end(body);
    });

  it.each(megabyte)('is refused by its field, and does not block for long: %s', async (_what, details) => {
    const body = Buffer.from(eventOf(details));
    const message = 'may hold 1000 JSON values at most';
    const refused = async () => {
      const answer = await post(body);
      expect(answer).toMatchObject({
        status: 422,
        body: {
          error: { code: 'validation_failed', fields: [{ path: 'payload', code: 'too_big', message }] },
        },
      });
    };
    await expectBrief(refused, () => parseJsonBody(body, agentEventInput));
    expect(await post(Buffer.from(eventOf('{"scope":"a.b","b":[0]}')))).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining('details: must not have b') } },
    });
  });
});

describe('counting the values of a text', () => {
  it.each([
    ['0', 1],
    ['[]', 2],
    ['[1,2]', 3],
    ['{"a":1,"b":[{}]}', 5],
    [' [ "," , "\\"[{" , "\\\\" ] ', 4],
    ['"é[,"', 1],
  ])('%s has %i; an empty list or object counts twice', (text, values) => {
    const padded = Buffer.from(`${text}${' '.repeat(100)}`);
    expect(holdsMoreValues(padded, values)).toBe(false);
    expect(holdsMoreValues(padded, values - 1)).toBe(true);
  });
});
