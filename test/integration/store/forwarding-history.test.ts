/**
 * The guarantee of `revocation.test.ts` from the agent's write to the arrival at a server that stops reading
 * again and again: a call arrives on a grant that was in force in between, no two arrive on one `once` grant,
 * and none is handed over later than right after its check.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { checkCall, checkCalls } from '../../../api/internal/check-call.ts';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { writeGrant } from '../../../commands/grants/write.ts';
import type { Session } from '../../../contract/session.ts';
import type { CheckAnswer } from '../../../contract/sidecar.ts';
import { createByteBudget } from '../../../lib/limits/byte-budget.ts';
import { createGateMap } from '../../../sidecar/gate/gate-map.ts';
import { largeAnswerBytes } from '../../../sidecar/json-rpc/lines.ts';
import { createMetrics } from '../../../sidecar/metrics.ts';
import { createCheckQueue } from '../../../sidecar/platform-api/check-queue.ts';
import { startOfLocalServer } from '../../../sidecar/processes/server-start.ts';
import { largeMessageBytes } from '../../../sidecar/server-link/agent-lines.ts';
import { createCallGate } from '../../../sidecar/server-link/call-gate.ts';
import { serveConnection } from '../../../sidecar/server-link/gated-connection.ts';
import { createLastRefusals } from '../../../sidecar/server-link/last-refusals.ts';
import { inTransaction, openDatabase } from '../../../store/database.ts';
import { auditTrailOf } from '../../support/audit-trail.ts';
import { grantOf } from '../../support/checks-together.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { permissionsOf, playOnGrants } from '../../support/grant-play.ts';
import { callKeys, freezeGates, grantFor } from '../../support/granted.ts';
import { volume } from '../../support/mode.ts';
import { announcedSeed, seededRandom } from '../../support/seeded-random.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';

const seed = announcedSeed('histories of forwarded calls', 'HISTORY_SEED');
/** `HISTORY_OPERATIONS` makes it longer (`npm run test:history`). */
const operations = volume({ quick: 5000, full: 10_000, long: 40_000 }, 'HISTORY_OPERATIONS') / 10;
const workers = 32;
const permissions = permissionsOf('forwarded', operations).flat();
const log = pino({ level: 'silent' });
/** Fills the buffers of a server that does not read within some calls. */
const text = 'x'.repeat(20_000);

let database: TestDatabase;
let db: Knex;
let directory: string;
let sessions: Map<string, Session>;
const cleanUp: (() => Promise<unknown>)[] = [];
/** Counts the turns of the event loop. */
let turn = 0;
let counting: NodeJS.Immediate;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, { poolSize: 16 });
  directory = mkdtempSync(join(tmpdir(), 'fh-'));
  const tenant = await createTenant(db, testMasterKeys());
  const tool_scopes = Object.fromEntries(permissions.map((name) => [name, name]));
  sessions = new Map();
  for (let count = 0; count < 2; count += 1) {
    const agent = await tenant.agent();
    const session = await freezeGates(db, await tenant.session(agent), agent, { tool_scopes });
    sessions.set(session.id, session);
  }
  await db.raw('analyze');
  const count = () => {
    turn += 1;
    counting = setImmediate(count);
  };
  count();
});
afterAll(async () => {
  clearImmediate(counting);
  for (const work of cleanUp) {
    await work();
  }
  await db.destroy();
  await database.drop();
  rmSync(directory, { recursive: true });
});

/** An agent of the session, whose server stops reading now and then. */
async function openAgent(sessionId: string, stalls: () => boolean) {
  const listener = createServer().listen(join(directory, sessionId));
  await once(listener, 'listening');
  const server = connect(join(directory, sessionId));
  const [near] = (await once(listener, 'connection')) as [Socket];
  listener.close();
  const [agent, gateSide] = duplexPair();
  const results = new Map<number, (result: { grantId: string } | null) => void>();
  const callIds = new Map<number, string>();
  const answers = new Map<string, { answer: CheckAnswer; turn: number }>();
  /**
   * Grants of calls that were allowed at first: one that is refused when it is checked again has
   * used its grant all the same.
   */
  const used = new Map<string, { grantId: string } | null>();
  const late: number[] = [];
  const asked = { checks: 0, requests: 0, refusedLater: 0 };

  const note = (callId: string, answer: CheckAnswer) => {
    answers.set(callId, { answer, turn });
    asked.checks += 1;
    if (!used.has(callId)) {
      used.set(callId, grantOf(answer));
    } else if (grantOf(answer) === null) {
      asked.refusedLater += 1;
    }
  };
  const sidecar = { sessionId, requireOpen: () => Promise.resolve() };
  const check = createCheckQueue({
    checkCall: (request) => {
      asked.requests += 1;
      return checkCall({ db, ...callKeys }, sidecar, request);
    },
    async checkCalls(requests) {
      asked.requests += 1;
      const { answers: all } = await checkCalls({ db, log, ...callKeys }, sidecar, requests);
      return new Map(all.map(({ call_id, answer }) => [call_id, answer]));
    },
  });
  const answerOf = (id: number) => answers.get(callIds.get(id) ?? '');
  const settle = (id: number, result: { grantId: string } | null) => {
    results.get(id)?.(result);
    results.delete(id);
  };

  const write = near.write.bind(near) as (chunk: Uint8Array) => boolean;
  near.write = ((chunk: Uint8Array | string, ...rest: []) => {
    const id = Number(/"id":(\d+)/.exec(chunk.toString().slice(0, 100))?.[1] ?? Number.NaN);
    if (!Number.isNaN(id) && answerOf(id)?.turn !== turn) {
      late.push(id);
    }
    return (write as (...args: unknown[]) => boolean)(chunk, ...rest);
  }) as Socket['write'];
  const served = serveConnection(gateSide, {
    server: 'files',
    side: { connect: () => Promise.resolve(near) },
    startServer: startOfLocalServer,
    tools: createGateMap(Object.fromEntries(permissions.map((name) => [name, name]))),
    toolLists: null,
    clientFeatures: new Set(),
    gate: createCallGate(
      {
        checkCall: async (request) => {
          const answer = await check(request);
          note(request.call_id, answer);
          return answer;
        },
      },
      createLastRefusals(),
    ),
    audit: auditTrailOf({
      started: ({ callId }, args) => {
        callIds.set((args as { id: number }).id, callId);
        return Promise.resolve('recorded');
      },
    }),
    callBucket: { take: () => 0 },
    largeMessages: createByteBudget(largeMessageBytes),
    largeAnswers: createByteBudget(largeAnswerBytes),
    metrics: createMetrics(),
    logger: log,
    limits: {
      lineBytes: 1_048_576,
      answerBytes: 10_000_000,
      messageValues: 1000,
      connectTimeoutMs: 1000,
      callTimeoutMs: 0,
    },
  });

  onLine(server, (line) => {
    const { id } = JSON.parse(line) as { id: number };
    const found = answerOf(id);
    settle(id, found ? grantOf(found.answer) : null);
    server.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n`);
    if (stalls()) {
      server.pause();
      setTimeout(() => server.resume(), 20);
    }
  });
  onLine(agent, (line) => {
    const { id } = JSON.parse(line) as { id: number };
    // A call that was forwarded has its result already.
    settle(id, used.get(callIds.get(id) ?? '') ?? null);
  });
  cleanUp.push(async () => {
    for (const side of [agent, gateSide, near, server]) {
      side.destroy();
    }
    await served;
  });

  let lastId = 0;
  const call = (name: string) =>
    new Promise<{ grantId: string } | null>((resolve) => {
      lastId += 1;
      const id = lastId;
      results.set(id, resolve);
      const params = { name, arguments: { id, text } };
      agent.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    });
  return { call, late, asked };
}

function onLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
}

it('leaves a linearizable history from the write of a call to its arrival', async () => {
  const random = seededRandom(seed);
  const agents = new Map<string, Awaited<ReturnType<typeof openAgent>>>();
  for (const id of sessions.keys()) {
    agents.set(id, await openAgent(id, () => random.below(100) < 5));
  }
  const stage = {
    groups: [...sessions.keys()].map((id) => [id]),
    grant: ({ id, scope, permission, sessionId, holder }) =>
      inTransaction(db, (trx) => {
        const content = { id, scope, details: { scope: permission }, session_id: sessionId };
        return writeGrant(trx, grantFor(sessions.get(holder) as Session, content));
      }),
    revoke: (id) => revokeGrant(db, id, { type: 'system', id: null }),
    check: async ({ permission, sessionId }) => (await agents.get(sessionId)?.call(permission)) ?? null,
  } satisfies Parameters<typeof playOnGrants>[0];
  const history = await playOnGrants(stage, {
    operations,
    workers,
    random,
    name: 'forwarded',
    repeats: false,
  });
  expect(history.violations()).toEqual([]);
  const { passed, refused, revoked } = history.counts();
  const asked = [...agents.values()].map((agent) => agent.asked);
  const sum = (name: keyof (typeof asked)[number]) =>
    asked.reduce((total, counts) => total + counts[name], 0);
  process.stdout.write(
    `${passed} calls passed, ${sum('refusedLater')} of these did not when they were checked again, ${refused} were refused, ${revoked} grants were revoked; ${sum('checks')} checks in ${sum('requests')} requests\n`,
  );
  expect(Math.min(passed, refused)).toBeGreaterThan(operations / 50);
  expect([...agents.values()].flatMap(({ late }) => late)).toEqual([]);
  // Some waited for their server, and were checked again.
  expect(sum('checks')).toBeGreaterThan(passed + refused);
  expect(sum('requests')).toBeLessThan(passed + refused);
});
