import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { putMember } from '../../../commands/members/members.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
beforeAll(async () => {
  api = await startSessionApi({
    LIMIT_RUNNING_SESSIONS_PER_USER: '3',
    LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: '4',
    RATE_SESSIONS_PER_HOUR_PER_USER: '6',
    RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: '8',
    RATE_WORKSPACES_PER_HOUR_PER_USER: '2',
    LIMIT_EVENT_STREAMS_PER_USER: '2',
    LIMIT_EVENT_STREAMS_PER_PROCESS: '4',
  });
});
afterAll(() => api.stop());

async function agentOf(person: Person, base: string): Promise<string> {
  const body = {
    name: `agent-${randomUUID()}`,
    run: { type: 'builtin', name: 'scripted' },
    instructions: '{"steps":[]}',
  };
  return (await person.ok<{ agent: Agent }>('POST', `${base}/agents`, body)).agent.id;
}

const start = (person: Person, base: string, agentId: string) =>
  person.send('POST', `${base}/sessions`, { agent_id: agentId, prompt: 'Do it' });
const idOf = (body: unknown) => (body as { session: Session }).session.id;

async function end(person: Person, sessionId: string): Promise<void> {
  await person.ok('POST', `/api/sessions/${sessionId}/terminate`, {});
  await eventually(async () => {
    const { session } = await person.ok<{ session: Session }>('GET', `/api/sessions/${sessionId}`);
    expect(session.status).toBe('terminated');
  });
}

describe('running sessions', () => {
  it('of a user are limited across workspaces, and one that ends frees a place', async () => {
    const [first, second] = [await api.workspace(), await api.workspace()];
    const person = first.admin;
    await putMember(api.db, {
      workspaceId: second.workspace.id,
      userId: person.user.id,
      role: 'admin',
      by: { type: 'system', id: null },
    });
    const agents = [await agentOf(person, first.base), await agentOf(person, second.base)];
    const started = [await start(person, first.base, agents[0] ?? '')];
    started.push(await start(person, second.base, agents[1] ?? ''));
    started.push(await start(person, second.base, agents[1] ?? ''));
    expect(started.map(({ status }) => status)).toEqual([201, 201, 201]);
    const refused = await start(person, first.base, agents[0] ?? '');
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(refused.text).toContain('The limit is 3 running sessions per user');
    await end(person, idOf(started[0]?.body));
    expect((await start(person, first.base, agents[0] ?? '')).status).toBe(201);
  });

  it('of a workspace are limited, for all members together', async () => {
    const { admin, member, base } = await api.workspace();
    const agentId = await agentOf(admin, base);
    for (const person of [admin, admin, member, member]) {
      expect((await start(person, base, agentId)).status).toBe(201);
    }
    const refused = await start(member, base, agentId);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('The limit is 4 running sessions per workspace');
  });

  it('stay within the limit when many are started concurrently', async () => {
    const { admin, member, base } = await api.workspace();
    const agentId = await agentOf(admin, base);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => start(at % 2 === 0 ? admin : member, base, agentId)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
  });
});

it('a retry under the same key returns the same session, also at the limit', async () => {
  const { admin, base } = await api.workspace();
  const agentId = await agentOf(admin, base);
  for (let started = 0; started < 2; started += 1) {
    expect((await start(admin, base, agentId)).status).toBe(201);
  }
  const key = { 'idempotency-key': randomUUID() };
  const body = { agent_id: agentId, prompt: 'Do it' };
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => admin.send('POST', `${base}/sessions`, body, key)),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(new Set(answers.map((answer) => idOf(answer.body))).size).toBe(1);
  expect((await start(admin, base, agentId)).status).toBe(409);
});

describe('creation within an hour', () => {
  it('is limited for the sessions of a user, also when they and their agent are deleted', async () => {
    const { admin, base } = await api.workspace();
    for (let round = 0; round < 3; round += 1) {
      const agentId = await agentOf(admin, base);
      const started = [await start(admin, base, agentId), await start(admin, base, agentId)];
      for (const { body } of started) {
        await end(admin, idOf(body));
      }
      await admin.ok('DELETE', `/api/agents/${agentId}`);
    }
    const refused = await start(admin, base, await agentOf(admin, base));
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(refused.text).toContain('The limit is 6 new sessions an hour per user');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600);
  });

  it('is limited for the sessions of a workspace', async () => {
    const { admin, member, base } = await api.workspace();
    const agentId = await agentOf(admin, base);
    for (const person of [admin, admin, admin, admin, member, member, member, member]) {
      await end(person, idOf((await start(person, base, agentId)).body));
    }
    const refused = await start(admin, base, agentId);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('The limit is 8 new sessions an hour per workspace');
  });

  it('is limited for workspaces, also when many are created concurrently', async () => {
    const person = await api.person();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        person.send('POST', '/api/workspaces', { slug: `w-${randomUUID()}`.slice(0, 30), name: 'W' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.text).toContain('The limit is 2 new workspaces an hour per user');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(
      (await (await api.person()).send('POST', '/api/workspaces', { slug: `w-${Date.now()}`, name: 'W' }))
        .status,
    ).toBe(201);
  });
});

describe('open event streams', () => {
  const eventsOf = (sessionId: string) => `/api/sessions/${sessionId}/events`;
  /** The status that a stream begins with, and a function that closes it. */
  function open(person: Person, path: string): Promise<{ status: number; text: string; leave(): void }> {
    return new Promise((resolve, reject) => {
      const sent = request(api.url + path, {
        headers: { cookie: person.cookie, accept: 'text/event-stream' },
      });
      sent.once('response', (answer) => {
        answer.once('data', (chunk) =>
          resolve({ status: answer.statusCode ?? 0, text: String(chunk), leave: () => sent.destroy() }),
        );
        answer.on('error', () => undefined);
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  it('are limited per user, workspace and process, and one that is closed frees a place', async () => {
    const { workspace, admin, member, base } = await api.workspace();
    const other = await api.workspace();
    const ofBoth = await api.person();
    await api.join(workspace, ofBoth, 'member');
    await api.join(other.workspace, ofBoth, 'member');
    const own = idOf((await start(admin, base, await agentOf(admin, base))).body);
    const otherAgent = await agentOf(other.admin, other.base);
    const others = idOf((await start(other.admin, other.base, otherAgent)).body);
    const streams = [await open(admin, eventsOf(own)), await open(admin, eventsOf(own))];
    const refused = await open(admin, eventsOf(own));
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('The limit is 2 open event streams per user');
    const ofColleague = await open(member, '/api/me/stream');
    expect(ofColleague.text).toContain('The limit is 2 open event streams per workspace');
    streams.push(await open(ofBoth, '/api/me/stream'), await open(other.admin, eventsOf(others)));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const ofStranger = await open(await api.person(), '/api/me/stream');
    expect(ofStranger.text).toContain('The limit is 4 open event streams of all users');
    streams[0]?.leave();
    await eventually(async () => {
      const again = await open(member, '/api/me/stream');
      again.leave();
      expect(again.status).toBe(200);
    });
    for (const { leave } of streams) {
      leave();
    }
  });
});
