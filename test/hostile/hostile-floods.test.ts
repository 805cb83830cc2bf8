/** Agents that concurrently take all they can get, and another tenant, whose approvals work as before. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../contract/audit-event.ts';
import { eventually } from '../support/eventually.ts';
import { ownConnection } from '../support/own-connection.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import { loopCalls, uploadAtOnce, waitOften } from './attempts/floods.ts';
import { Neighbour } from './neighbour.ts';
import { HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('Hostile agents that flood, beside another tenant');
/** The looper reaches both soon: first its rate, then its total limit of calls. */
const limits = { RATE_SESSION_CALLS_PER_MINUTE: '390', LIMIT_SESSION_CALLS: '400' };
const seconds = 10;
/**
 * How much longer an approval may take beside the floods, which keep this machine's processors busy,
 * too: 2 to 3 times was seen.
 */
const mostSlowdown = 6;
/** 25 of them leave room for what the agent tells the test, in the 24 MiB of this session. */
const sizeBytes = 1_000_000;

interface Seen {
  /** Measured before and after the floods, since the machine has other work, too. */
  quiet: { medianMs: number; rounds: number }[];
  flooded: { medianMs: number; rounds: number };
  looped: Awaited<ReturnType<typeof loopCalls>>;
  uploads: Record<string, number>;
  /** Uploads to the API itself, bypassing the sidecar. */
  straight: Record<string, number>;
  waits: Awaited<ReturnType<typeof waitOften>>;
  /** The statuses of a person's streams, and how many events they received. */
  streams: { statuses: number[]; events: number };
  recorded: AuditEvent[];
  counts: AuditEvent[];
}

let arena: Arena;
let seen: Seen;

async function eventsOf(sessionId: string, event: string): Promise<AuditEvent[]> {
  const found: AuditEvent[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/api/workspaces/demo/audit-events?limit=200&event=${event}${cursor}`;
    const page: { audit_events: AuditEvent[]; next_cursor: string | null } = await arena.ada.ok('GET', path);
    found.push(...page.audit_events.filter(({ session_id }) => session_id === sessionId));
    cursor = page.next_cursor === null ? null : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
  return found;
}

/** Like a compromised sidecar: repeats 32 concurrent uploads; returns the count of each status. */
async function uploadStraight(sessionId: string): Promise<Record<string, number>> {
  const said: Record<string, number> = {};
  const headers = { ...ownConnection, 'x-internal-token': arena.tokenOf(sessionId) };
  const endsAtMs = performance.now() + seconds * 1000;
  const upload = async () => {
    while (performance.now() < endsAtMs) {
      const query = `artifact_id=${randomUUID()}&name=straight&mime_type=x/y`;
      const path = `/internal/sessions/${sessionId}/artifacts?${query}`;
      // The API answers and closes before it has read what it will not store.
      const status = await fetch(new URL(path, arena.platform.url), {
        method: 'POST',
        headers,
        body: Buffer.alloc(sizeBytes, 7),
      }).then(
        async (answer) => {
          await answer.text();
          return String(answer.status);
        },
        () => 'broken off',
      );
      said[status] = (said[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, upload));
  return said;
}

const countedIn = (counts: AuditEvent[]) => counts.reduce((sum, { data }) => sum + Number(data['count']), 0);

const notedOf =
  (by: 'agent' | 'member') => (what: string, stoppedBy: string, check: () => void | Promise<void>) =>
    it(what, () => table.note({ what, by, stoppedBy }, check));
const noted = notedOf('agent');

describeWith('bwrap', 'slirp4netns')('hostile agents that flood', () => {
  beforeAll(async () => {
    arena = await Arena.open(limits);
    const [neighbour, looper, uploader, takenOver, waiter] = await Promise.all([
      Neighbour.moveIn(arena),
      HostileSession.start(arena.ada, { name: 'looper', servers: ['files', 'vault'] }),
      HostileSession.start(arena.ada, { name: 'uploader', servers: [] }),
      HostileSession.start(arena.ada, { name: 'taken-over', servers: [] }),
      HostileSession.start(arena.ada, { name: 'waiter', servers: [] }),
    ]);
    const before = await neighbour.approvalMs(0);
    const argument = { seconds, sizeBytes };
    const watched = [looper, uploader, waiter].map(({ id }) => `${id}:0`).join();
    const readers = await Promise.all(Array.from({ length: 50 }, () => arena.ada.openStream(watched)));
    const [looped, uploads, straight, waits, flooded] = await Promise.all([
      looper.run(loopCalls, { argument }),
      uploader.run(uploadAtOnce, { argument }),
      uploadStraight(takenOver.id),
      waiter.run(waitOften, { argument }),
      neighbour.approvalMs(seconds - 2),
    ]);
    const streams = {
      statuses: readers.map(({ status }) => status).sort(),
      events: readers.reduce((sum, { messages }) => sum + messages.length, 0),
    };
    for (const reader of readers) {
      reader.close();
    }
    const quiet = [before, await neighbour.approvalMs(0)];
    // A count is reported when its minute is over, or at the session's end.
    await arena.ada.ok('POST', `/api/sessions/${looper.id}/terminate`, { reason: 'seen enough' });
    await arena.ada.ended(looper.id);
    const counts = await eventually(async () => {
      const found = await eventsOf(looper.id, 'session.mcp.calls_refused');
      expect(found).not.toEqual([]);
      return found;
    });
    const recorded = await eventsOf(looper.id, 'session.mcp.tool_called');
    seen = { quiet, flooded, looped, uploads, straight, waits, streams, recorded, counts };
    const figures = {
      ...seen,
      streams: streams.events,
      recorded: recorded.length,
      counts: counts.length,
      counted: countedIn(counts),
    };
    process.stdout.write(`\nFloods: ${JSON.stringify(figures)}\n`);
  });
  afterAll(async () => {
    table.print();
    await arena.close();
  });

  noted('calls tools that are not there, in a loop', 'a rate, then a bound for the session', () => {
    const { looped, recorded } = seen;
    expect(looped.made).toBeGreaterThan(400);
    expect(looped.refused).toBeGreaterThan(0);
    expect(recorded).toHaveLength(400);
  });

  noted('makes up a name for each call, to fill the trail with counts', 'sixteen names for a session', () => {
    const { counts, looped } = seen;
    const minutes = new Set(counts.map(({ at }) => at));
    // 16 names, the gated tool, and a remainder for each of three servers; those of the
    // last minute perhaps twice.
    expect(counts.length).toBeLessThanOrEqual((minutes.size + 1) * 20);
    const counted = countedIn(counts);
    expect(counted).toBeGreaterThanOrEqual(looped.refused);
    expect(counted).toBeLessThanOrEqual(looped.made + 1);
  });

  noted('hides a call of a gated tool in that loop', 'a count of its own for each gated tool', () => {
    expect(seen.looped.probe).toBe('too_many_calls');
    const probes = [...seen.counts, ...seen.recorded].filter(
      ({ data }) => data['name'] === 'vault' && data['tool'] === 'open',
    );
    expect(probes.map(({ event, data }) => [event, data['outcome'], data['count']])).toEqual([
      ['session.mcp.calls_refused', 'refused', 1],
    ]);
  });

  noted('uploads 31 files at once', 'four at a time, and 24 MiB for this session', () => {
    const statuses = Object.keys(seen.uploads).map(Number);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => ![200, 413, 429].includes(status))).toEqual([]);
    expect(seen.uploads['200']).toBeLessThanOrEqual(25);
  });

  noted(
    'uploads 32 files at once to the API itself, with the token of its session',
    'the same, kept by the API',
    () => {
      const { straight } = seen;
      expect(
        Object.keys(straight).filter((status) => !['200', '413', '429', 'broken off'].includes(status)),
      ).toEqual([]);
      expect(straight['200']).toBeLessThanOrEqual(25);
      expect(straight['429']).toBeGreaterThan(0);
    },
  );

  noted('waits for its human fifty times at once', 'sixteen waits at a time', () => {
    expect(seen.waits).toEqual({ waiting: 16, refused: 34 });
  });

  notedOf('member')('opens fifty event streams at once', 'forty for a user', () => {
    const { statuses, events } = seen.streams;
    expect(statuses).toEqual([...Array<number>(40).fill(200), ...Array<number>(10).fill(429)]);
    expect(events).toBeGreaterThan(40 * 25);
  });

  noted('keeps another tenant waiting for its approvals', 'limits for each session, decisions apart', () => {
    const quietMs = Math.max(...seen.quiet.map(({ medianMs }) => medianMs));
    expect(seen.flooded.medianMs / quietMs).toBeLessThan(mostSlowdown);
  });

  it('leaves other sessions working', async () => {
    expect(await arena.other.works()).toBe(true);
  });
});
