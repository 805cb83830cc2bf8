/**
 * What the API accepts of one session's sidecar, called with the session's own token: a compromised sidecar
 * enforces no limit of its own. Each limit has its answer, and no other session is affected.
 */
import { randomUUID } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import type { CallRecord, RefusedCallCount } from '../../../contract/tool-call.ts';
import type { Answer, Person } from '../../support/api.ts';
import { eventually as eventuallyWithin } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

const mebibyte = 1024 * 1024;
const limits = {
  RATE_SESSION_REQUESTS_PER_MINUTE: '60',
  RATE_SESSION_BYTES_PER_MINUTE: String(6 * mebibyte),
  RATE_SESSION_CALLS_PER_MINUTE: '10',
  RATE_SESSION_EVENTS_PER_MINUTE: '5',
  RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE: '3',
  RATE_SESSION_ARTIFACTS_PER_MINUTE: '6',
  LIMIT_SESSION_CALLS: '15',
  LIMIT_SESSION_CONCURRENT_REQUESTS: '4',
  LIMIT_SESSION_CONCURRENT_UPLOADS: '16',
};
let api: SessionApi;
let member: Person;
let base: string;
let id: string;
let otherId: string;

beforeAll(async () => {
  api = await startSessionApi(limits);
  ({ member, base } = await api.workspace());
});
beforeEach(async () => {
  id = (await api.runningSession(member, base)).session.id;
  otherId = (await api.runningSession(member, base)).session.id;
});
afterAll(() => api.stop());

const call = (): CallRecord => ({
  call_id: randomUUID(),
  server: 'files',
  tool: 'read',
  started_at: new Date().toISOString(),
  duration_ms: 1,
  outcome: 'ok',
});
const count = (): RefusedCallCount => ({
  count_id: randomUUID(),
  server: 'files',
  tool: 'read',
  outcome: 'refused',
  minute: '2026-01-01T00:00:00.000Z',
  count: 1,
});
const status = (text = 'x') => ({ id: randomUUID(), type: 'agent.status', payload: { status: text } });
const recordCalls = (sessionId: string, calls: number) =>
  api.asSidecar(sessionId, 'POST', 'tool-calls', { calls: Array.from({ length: calls }, call) });
const publish = (sessionId: string) => api.asSidecar(sessionId, 'POST', 'events', status());
const readNothing = (sessionId: string) =>
  api.asSidecar(sessionId, 'GET', `permission-requests/${randomUUID()}`);

const limited = (limit: string) => ({
  status: 429,
  body: { error: { code: 'rate_limited', message: `The limit is ${limit}` } },
});

/** Polls so rarely that it never uses up the session's 60 requests a minute. */
const eventually = (check: () => Promise<void>) => eventuallyWithin(check, { everyMs: 1200 });

/** A request whose body is sent in chunks, without a length. */
function open(sessionId: string, path: string): { sent: ClientRequest; answered: Promise<Answer> } {
  const sent = request(`${api.url}/internal/sessions/${sessionId}/${path}`, {
    method: 'POST',
    agent: false,
    headers: { [internalTokenHeader]: api.token(sessionId), 'content-type': 'application/json' },
  });
  const answered = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, headers: new Headers(), text, body: JSON.parse(text) });
    });
  });
  answered.catch(() => undefined);
  return { sent, answered };
}
/**
 * As many requests as a session may have at a time, whose bodies do not end, once the session is refused one
 * more. Whoever asks may overtake one of them, which is then refused itself and sent again.
 */
async function stallAll(sessionId: string) {
  const stalled = new Set<ReturnType<typeof open>>();
  await eventually(async () => {
    while (stalled.size < 4) {
      const opened = open(sessionId, 'events');
      opened.sent.write('{');
      stalled.add(opened);
      const forget = () => void stalled.delete(opened);
      opened.answered.then(forget, forget);
    }
    const names = '4 requests of the sidecar of a session at a time';
    expect(await readNothing(sessionId)).toMatchObject(limited(names));
    expect(stalled.size).toBe(4);
  });
  return [...stalled];
}
const artifact = () => `artifacts?artifact_id=${randomUUID()}&name=a&mime_type=x/y`;

describe('a session whose sidecar enforces no limit', () => {
  it('is refused beyond its requests per minute, with the time to wait', async () => {
    let refused: Answer | null = null;
    // Meanwhile one a second is refilled.
    for (let sent = 0; sent < 300 && refused === null; sent += 1) {
      const answer = await readNothing(id);
      refused = answer.status === 404 ? null : answer;
    }
    expect(refused).toMatchObject(limited('60 requests a minute of the sidecar of a session'));
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await readNothing(otherId)).toMatchObject({ status: 404 });
    expect(await publish(otherId)).toMatchObject({ status: 200 });
  });

  it('is refused beyond its bytes per minute, with or without a declared length', async () => {
    const names = '6291456 bytes a minute of the sidecar of a session';
    const sizes: number[] = [];
    let refused: Answer | null = null;
    // Sent in chunks, and larger than any JSON body may be.
    while (refused === null && sizes.length < 20) {
      const { sent, answered } = open(id, artifact());
      sent.end(Buffer.alloc(2.5 * mebibyte));
      const answer = await answered;
      sizes.push(answer.status === 200 ? 2.5 : 0);
      refused = answer.status === 200 ? null : answer;
    }
    expect(refused).toMatchObject(limited(names));
    const stored = await api.db('artifacts').where({ session_id: id });
    expect(stored).toHaveLength(sizes.filter((size) => size > 0).length);
    await eventually(async () => {
      const left = await api.db('artifact_contents').where({ session_id: id }).whereNull('completed_at');
      expect(left).toEqual([]);
    });
    const large = status('x'.repeat(mebibyte - 500));
    const whole: Answer[] = [];
    while (whole.at(-1)?.status !== 429 && whole.length < 20) {
      whole.push(await api.asSidecar(id, 'POST', 'events', large));
    }
    expect(whole.at(-1)).toMatchObject(limited(names));
    const elsewhere = open(otherId, artifact());
    elsewhere.sent.end(Buffer.alloc(2.5 * mebibyte));
    expect(await elsewhere.answered).toMatchObject({ status: 200 });
  });

  it('is charged for the received bytes of a body of unknown length, and for no more', async () => {
    for (let sent = 0; sent < 10; sent += 1) {
      const { sent: body, answered } = open(id, 'end');
      body.end('{}');
      // Each would have used up one mebibyte of six.
      expect(await answered).toMatchObject({ status: 422 });
    }
  });

  it('is refused beyond its concurrent requests, until one of them is answered', async () => {
    const stalled = await stallAll(id);
    expect(await publish(otherId)).toMatchObject({ status: 200 });
    for (const { sent } of stalled) {
      sent.end('}');
    }
    const answers = await Promise.all(stalled.map(({ answered }) => answered));
    expect(answers.map((answer) => answer.status)).toEqual([422, 422, 422, 422]);
    await eventually(async () => expect(await publish(id)).toMatchObject({ status: 200 }));
  });

  it('releases its places when it disconnects', async () => {
    const stalled = await stallAll(id);
    for (const { sent } of stalled) {
      sent.destroy();
    }
    await eventually(async () => expect((await readNothing(id)).status).toBe(404));
  });

  it('records at most twice as many calls per minute as the rate of its agent, and none that is refused', async () => {
    expect(await recordCalls(id, 12)).toMatchObject({ status: 200 });
    expect(await recordCalls(id, 12)).toMatchObject(limited('20 calls recorded a minute for a session'));
    const recorded = await api.db('audit_events').where({ session_id: id, event: 'session.mcp.tool_called' });
    expect(recorded).toHaveLength(12);
    expect(await recordCalls(otherId, 12)).toMatchObject({ status: 200 });
  });

  it('has a total limit of recorded calls, single ones and counts together', async () => {
    expect(await recordCalls(id, 20)).toMatchObject({ status: 200 });
    const counts = Array.from({ length: 10 }, count);
    expect(await api.asSidecar(id, 'POST', 'tool-calls/refused', { counts })).toMatchObject({ status: 200 });
    const full = {
      status: 413,
      body: { error: { code: 'too_large', message: 'The limit is 30 records of calls for a session' } },
    };
    expect(await api.asSidecar(id, 'POST', 'tool-calls/refused', { counts: [count()] })).toMatchObject(full);
    expect(await api.db('sessions').where({ id }).first()).toMatchObject({ recorded_calls: 30 });
    expect(await recordCalls(otherId, 12)).toMatchObject({ status: 200 });
  });

  it('requests permissions at most at twice the rate of its agent', async () => {
    const ask = (sessionId: string) =>
      api.asSidecar(sessionId, 'POST', 'permission-requests', {
        request_id: randomUUID(),
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope: 'once',
        justification: '',
        refused_call: null,
      });
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 20) {
      statuses.push((await ask(id)).status);
    }
    expect(statuses.slice(0, 6)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await ask(id)).toMatchObject(limited('6 permission requests a minute of a session'));
    expect(await ask(otherId)).toMatchObject({ status: 200 });
  });

  it('publishes events up to a rate', async () => {
    const answers: number[] = [];
    for (let sent = 0; sent < 30 && !answers.includes(429); sent += 1) {
      answers.push((await publish(id)).status);
    }
    expect(answers.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(await publish(id)).toMatchObject(limited('5 events a minute of the agent of a session'));
    expect(await publish(otherId)).toMatchObject({ status: 200 });
  });

  it('uploads artifacts up to a rate, and the bytes of one beyond it are not stored', async () => {
    const upload = async (sessionId: string) => {
      const { sent, answered } = open(sessionId, artifact());
      sent.end('x');
      return await answered;
    };
    const answers: number[] = [];
    for (let sent = 0; sent < 30 && !answers.includes(429); sent += 1) {
      answers.push((await upload(id)).status);
    }
    expect(answers.slice(0, 6)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await upload(id)).toMatchObject(limited('6 artifacts a minute of the agent of a session'));
    expect(await upload(otherId)).toMatchObject({ status: 200 });
    const stored = await api.db('artifact_contents').where({ session_id: id });
    expect(stored).toHaveLength(answers.filter((status) => status === 200).length);
  });
});

it('counts each call of a request that checks several', async () => {
  const check = (sessionId: string, count: number) =>
    api.asSidecar(sessionId, 'POST', 'tool-calls/checks', {
      checks: Array.from({ length: count }, () => ({ call_id: randomUUID(), server: 'files', tool: 'read' })),
    });
  expect(await check(id, 50)).toMatchObject({ status: 200 });
  const refused = limited('60 checks a minute of the sidecar of a session');
  expect(await check(id, 50)).toMatchObject(refused);
  expect(await check(otherId, 50)).toMatchObject({ status: 200 });
});
