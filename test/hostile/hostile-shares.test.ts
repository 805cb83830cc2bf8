/**
 * Attacks on what all share, each beside another tenant, whose requests take at most three times as long,
 * also once it is over; and every process stays within its memory.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SessionAuthorization } from '../../contract/authorization.ts';
import type { McpServer } from '../../contract/catalog.ts';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import type { Workspace } from '../../contract/workspace.ts';
import { insertPreview } from '../../store/previews/previews.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { peakBytes, processorMs } from '../support/process-costs.ts';
import { type RemoteServer, startRemoteServer } from '../support/remote-server.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import { startSendingAhead, stopSendingAhead } from './attempts/floods.ts';
import { type End, repeat, requestOf, sendAhead, sendAtOnce } from './crowd.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('Attacks on what all share, beside another tenant');
const base = '/api/workspaces/demo';
const mebibyte = 1024 * 1024;
const previewBytes = 4 * mebibyte;
const mostSlowdown = 3;
/** By the clock, which also counts what other programs take of this machine. */
const mostSlowdownByClock = 12;
const mostRounds = 8;
/** One after the other, as a person's pages ask: what an attack costs when it begins is a part of it. */
const requestsInARow = 60;
/** What each of them counts as at least. */
const leastRequestMs = 10;
/** Of the chart's limits for API and worker (1 and 2 GiB) three quarters, and the whole of a sidecar's. */
const mostBytes = { api: 768 * mebibyte, worker: 1536 * mebibyte, sidecar: 256 * mebibyte };

interface Attack {
  what: string;
  by: 'agent' | 'member';
  stoppedBy: string;
  begin(): Promise<End>;
}

let remote: RemoteServer;
let arena: Arena;
let url: string;
/** The other tenant. */
let nora: FrontDoor;
let previewHost: string;
let waitingSession: string;
let messagesTaken = 0;

const attacks: Attack[] = [
  {
    what: 'leaves answers unread, and asks for more ahead of them',
    by: 'member',
    stoppedBy: 'places that are held as long as an answer, and order on a connection',
    async begin() {
      const request = requestOf(url, { path: `${base}/agents?limit=200`, cookie: arena.ada.cookie });
      const ends = await Promise.all([
        sendAtOnce(url, { connections: 8, text: request.repeat(9), reads: false }),
        sendAtOnce(url, { connections: 4, text: request.repeat(400), reads: false }),
      ]);
      return () => endAll(ends);
    },
  },
  {
    what: 'exports the audit trail sixty times at once',
    by: 'member',
    stoppedBy: 'places for downloads, and one batch of a workspace at a time',
    begin() {
      const accept = 'application/x-ndjson';
      const text = requestOf(url, { path: `${base}/audit-events`, cookie: arena.ada.cookie, accept });
      return sendAtOnce(url, { connections: 60, text, reads: true });
    },
  },
  {
    what: 'leaves sixty-four files of previews unread',
    by: 'member',
    stoppedBy: 'a share of the bytes that are being sent',
    begin() {
      const text = requestOf(url, { path: '/large.txt', host: previewHost });
      return sendAtOnce(url, { connections: 64, text, reads: false });
    },
  },
  {
    what: 'sends requests ahead to its sidecar by the thousand',
    by: 'agent',
    stoppedBy: 'its connection is closed',
    async begin() {
      expect(await arena.other.run(startSendingAhead)).toBe('started');
      return async () => {
        expect(await arena.other.run(stopSendingAhead)).toBeGreaterThan(0);
      };
    },
  },
  {
    what: 'asks four thousand times for the health of the API, without signing in',
    by: 'member',
    stoppedBy: 'order on a connection, and one look a second for all who ask',
    async begin() {
      const request = requestOf(url, { path: '/api/health' });
      const ends = await Promise.all([
        sendAtOnce(url, { connections: 1, text: request.repeat(4000), reads: true }),
        sendAhead(url, { connections: 2, request, ahead: 9, answers: 2000 }),
      ]);
      return () => endAll(ends);
    },
  },
  {
    what: 'sends messages without end to a session that waits for a sign-in',
    by: 'member',
    stoppedBy: 'no signal for what waits already',
    async begin() {
      return repeat(4, async () => {
        const path = `/api/sessions/${waitingSession}/messages`;
        const { status } = await arena.max.send('POST', path, { text: 'Are you there?' });
        messagesTaken += status < 300 ? 1 : 0;
      });
    },
  },
];

const endAll = async (ends: readonly End[]): Promise<void> => {
  await Promise.all(ends.map((end) => end()));
};

/** What a page of the other tenant asks for. */
async function listInARow(): Promise<void> {
  for (let count = 0; count < requestsInARow; count += 1) {
    await nora.ok('GET', '/api/workspaces/next-door/agents');
  }
}

interface Cost {
  clockMs: number;
  /** Of the API, for whomever it works: the time for which an attack holds up a request. */
  apiMs: number;
}

async function costOfList(): Promise<Cost> {
  const [pid, startedMs] = [pidOf('api'), performance.now()];
  const beforeMs = processorMs(pid);
  await listInARow();
  return { clockMs: performance.now() - startedMs, apiMs: processorMs(pid) - beforeMs };
}

/**
 * What the requests cost beside the attack and right after it, in relation to those without: the least
 * of each in several rounds.
 */
async function slowdownBy(begin: Attack['begin']): Promise<{ processor: number; clock: number }> {
  let normalMs = Number.POSITIVE_INFINITY;
  const seen = { clockMs: Number.POSITIVE_INFINITY, apiMs: Number.POSITIVE_INFINITY };
  const least = requestsInARow * leastRequestMs;
  const ratios = () => ({
    processor: seen.apiMs / Math.max(normalMs, least),
    clock: seen.clockMs / Math.max(normalMs, least),
  });
  for (let round = 0; round < mostRounds && !isBorne(ratios()); round += 1) {
    normalMs = Math.min(normalMs, (await costOfList()).clockMs);
    const end = await begin();
    const costs: Cost[] = [];
    try {
      costs.push(await costOfList());
    } finally {
      await end();
    }
    costs.push(await costOfList());
    seen.clockMs = Math.min(seen.clockMs, Math.max(...costs.map(({ clockMs }) => clockMs)));
    seen.apiMs = Math.min(seen.apiMs, Math.max(...costs.map(({ apiMs }) => apiMs)));
  }
  return ratios();
}

const isBorne = ({ processor, clock }: { processor: number; clock: number }) =>
  processor < mostSlowdown && clock < mostSlowdownByClock;

const pidOf = (name: 'api' | 'worker'): number =>
  JSON.parse(readFileSync(join(arena.platform.dataDirectory, `${name}.json`), 'utf8')).pid;

/** The most that each has had so far. */
const peaks = () => ({
  api: peakBytes(pidOf('api')),
  worker: peakBytes(pidOf('worker')),
  sidecar: peakBytes(arena.sidecarPid(arena.other.id)),
});

const beyond = (seen: ReturnType<typeof peaks>) =>
  (['api', 'worker', 'sidecar'] as const).filter((name) => seen[name] > mostBytes[name]);

/** Answers of a list that are as large as they may be, an audit trail that is long, and a large file. */
async function fill(): Promise<void> {
  const { ada, max, other, platform } = arena;
  for (let count = 0; count < 5; count += 1) {
    await ada.ok('POST', `${base}/agents`, {
      name: `large-${count}`,
      run: { type: 'builtin', name: 'scripted' },
      instructions: `{"steps":[]}${' '.repeat(200_000)}`,
    });
  }
  const { workspace } = await ada.ok<{ workspace: Workspace }>('GET', base);
  const workspaceId = workspace.id;
  const previewId = await withPlatformDatabase(platform, async (db) => {
    await db.raw(
      `insert into audit_events (id, workspace_id, event, actor_type, resource_type, resource_id, resource_name, data)
       select gen_random_uuid(), ?, 'agent.updated', 'system', 'agent', 'a', n::text, '{"fields":["instructions"]}'
       from generate_series(1, 20000) as n`,
      [workspaceId],
    );
    const files = [
      { path: 'index.html', bytes: Buffer.from('<p>here') },
      { path: 'large.txt', bytes: Buffer.alloc(previewBytes, 'a') },
    ];
    const { id } = await db.transaction((trx) =>
      insertPreview(trx, {
        ...{ workspaceId, sessionId: other.id, callId: randomUUID(), title: null, audience: 'workspace' },
        ...{ service: null, files, seconds: 3600 },
      }),
    );
    return id;
  });
  previewHost = new URL((await max.leadsTo(`${base}/previews/${previewId}/open`)) ?? '').host;
}

/** A session of a member that waits until its person signs in. */
async function startWaiting(): Promise<string> {
  const { ada, max } = arena;
  const entry = { name: 'notes', shape: { type: 'remote', url: remote.url } };
  await ada.ok('POST', `${base}/mcp-servers`, entry);
  await untilFound('the registration', async () => {
    const { mcp_server: found } = await ada.ok<{ mcp_server: McpServer & { registration: McpRegistration } }>(
      'GET',
      `${base}/mcp-servers/notes`,
    );
    expect(found.registration.status).not.toBe('failed');
    return found.registration.status === 'ready' ? true : null;
  });
  const { id } = await max.startSession((await max.createAgent('waiting', [], { notes: {} })).id);
  await untilFound('the sign-in', async () => {
    const path = `/api/sessions/${id}/authorizations`;
    return (await max.ok<{ authorizations: SessionAuthorization[] }>('GET', path)).authorizations[0];
  });
  return id;
}

describeWith('bwrap', 'slirp4netns')('beside another tenant, whoever', () => {
  beforeAll(async () => {
    remote = await startRemoteServer();
    const env = { PRIVATE_MCP_HOSTS: remote.origin, LIMIT_PREVIEW_BYTES: String(previewBytes) };
    arena = await Arena.open(env, { usesRunServers: true });
    url = arena.platform.url;
    nora = await FrontDoor.signIn(url, 'nora@demo.test', 'next-door');
    await nora.ok('POST', '/api/workspaces', { slug: 'next-door', name: 'Next door' });
    for (const name of ['one', 'two', 'three']) {
      await nora.createAgent(name, [], {});
    }
    await fill();
    waitingSession = await startWaiting();
    // What runs for the first time is slower.
    await listInARow();
  });
  afterAll(async () => {
    table.print();
    await arena?.close();
    await remote?.close();
  });

  it.each(attacks)('$what', ({ what, by, stoppedBy, begin }) =>
    table.note({ what, by, stoppedBy }, async () => {
      const slowdown = await slowdownBy(begin);
      const seen = peaks();
      process.stdout.write(`\n${what}: ${JSON.stringify({ slowdown, ...seen })}\n`);
      expect({ slowdown, isBorne: isBorne(slowdown) }).toMatchObject({ isBorne: true });
      expect({ seen, beyond: beyond(seen) }).toMatchObject({ beyond: [] });
    }),
  );

  it('leaves a session that can be ended, and one that works', async () => {
    expect(messagesTaken).toBeGreaterThan(0);
    const ended = await arena.ada.send('POST', `/api/sessions/${waitingSession}/terminate`, {});
    expect(ended.status).toBe(200);
    expect(await arena.other.works()).toBe(true);
  });
});
