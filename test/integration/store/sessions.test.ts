import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createArtifact } from '../../../commands/artifacts/create.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Session } from '../../../contract/session.ts';
import type { NewSessionEvent } from '../../../contract/session-event.ts';
import { beginContent } from '../../../store/artifacts/contents.ts';
import { checkAndConsume } from '../../../store/grants/check-and-consume.ts';
import {
  answerOldestInputRequest,
  insertInputRequest,
} from '../../../store/input-requests/input-requests.ts';
import { storeConfiguration } from '../../../store/session-configurations/configurations.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import { openSessionEventFeed } from '../../../store/session-events/feed.ts';
import { listSessionEvents } from '../../../store/session-events/list.ts';
import {
  addSessionInput,
  listSessionInputs,
  markInputsDelivered,
} from '../../../store/session-inputs/inputs.ts';
import { readIdleState } from '../../../store/sessions/activity.ts';
import { readRequestedEnding, requestEnding } from '../../../store/sessions/sessions.ts';
import { recordLeftCalls, recordToolCalls } from '../../../store/tool-calls/record.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { callOf, freezeGates, frozenFor, giveGrant } from '../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await createTenant(database.db, testMasterKeys());
});
beforeEach(async () => {
  session = await tenant.session(await tenant.agent());
});
afterAll(() => database.drop());

const status = (text: string, id = randomUUID()): NewSessionEvent => ({
  id,
  type: 'agent.status',
  actor: { type: 'agent', id: session.agent_id },
  payload: { status: text },
});
const events = () => listSessionEvents(database.db, session.id, { after: 0, limit: 500 });
const move = (to: Session['status'], reason: string | null = null) =>
  moveSession(database.db, session.id, { to, reason });

describe('a session', () => {
  it('records each step of its life once, in events and in the audit trail', async () => {
    await move('validating');
    await move('starting');
    await move('starting');
    const running = await move('running');
    expect(running.started_at).not.toBeNull();
    const ended = await move('failed', 'It broke');
    expect(ended).toMatchObject({
      status: 'failed',
      status_reason: 'It broke',
      ended_at: expect.any(String),
    });
    expect(await move('completed', 'Not really')).toEqual(ended);
    expect((await events()).map(({ payload }) => payload['to'])).toEqual([
      'pending',
      'validating',
      'starting',
      'running',
      'failed',
    ]);
    const audit = await database.db('audit_events').where({ session_id: session.id }).orderBy('position');
    expect(audit).toMatchObject([
      { event: 'session.created', actor_id: tenant.max.id },
      { event: 'session.ended', actor_type: 'system', data: { status: 'failed', reason: 'It broke' } },
    ]);
  });

  it('keeps the first request to end, and the outcome that the agent reported', async () => {
    const by = { type: 'agent', id: session.agent_id } as const;
    const first = { by, status: 'completed', reason: 'The agent finished', summary: 'All done' } as const;
    await requestEnding(database.db, session.id, first);
    await requestEnding(database.db, session.id, { ...first, status: 'failed', summary: null });
    expect(await readRequestedEnding(database.db, session.id)).toEqual(first);
    expect(await move('completed', 'The agent finished')).toMatchObject({
      outcome: { outcome: 'completed', summary: 'All done' },
    });
  });

  it('freezes the first configuration it is given, and reads tool gates from it', async () => {
    const agent = await tenant.agent();
    const frozen = frozenFor(session, agent);
    expect(await storeConfiguration(database.db, frozen)).toEqual(frozen);
    expect(await storeConfiguration(database.db, { ...frozen, prompt: 'another' })).toEqual(frozen);
    const gate = (server: string, tool: string) =>
      checkAndConsume(database.db, callOf(session, { server, tool }));
    expect(await gate('files', 'write_file')).toEqual({
      decision: 'refused',
      code: 'permission_required',
      scope: 'files.write',
    });
    expect(await gate('files', 'read_file')).toEqual({ decision: 'allowed', granted_via: null });
    expect(await gate('others', 'write_file')).toMatchObject({ code: 'server_unavailable', scope: null });
  });

  it('pauses its idle clock while a question to the user is open', async () => {
    const waiting = async () => (await readIdleState(database.db, session.id)).waiting;
    const id = randomUUID();
    await insertInputRequest(database.db, session.id, { id, prompt: 'Which?', options: [] });
    expect(await waiting()).toBe(true);
    expect(await answerOldestInputRequest(database.db, session.id)).toBe(id);
    expect(await answerOldestInputRequest(database.db, session.id)).toBeNull();
    expect(await waiting()).toBe(false);
  });
});

describe('events', () => {
  it('are numbered without gaps under concurrent writes', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => appendSessionEvent(database.db, session.id, status(`${at}`))),
    );
    expect((await events()).map(({ seq }) => seq)).toEqual(Array.from({ length: 41 }, (_, at) => at + 1));
  });

  it('written twice, even concurrently, are one event', async () => {
    const event = status('working');
    const written = await Promise.all(
      Array.from({ length: 5 }, () => appendSessionEvent(database.db, session.id, event)),
    );
    expect(new Set(written.map(({ seq }) => seq))).toEqual(new Set([2]));
    expect(await events()).toHaveLength(2);
  });

  it('that do not match the schema of their type are refused', async () => {
    const event: NewSessionEvent = { ...status('x'), type: 'agent.status', payload: { status: 'x' } };
    Object.assign(event.payload, { secret: 'y' });
    await expect(appendSessionEvent(database.db, session.id, event)).rejects.toMatchObject({
      name: 'ZodError',
    });
    expect(await events()).toHaveLength(1);
  });

  it('are announced after their commit, also after the listening connection was lost', async () => {
    const another = await tenant.session(await tenant.agent());
    const feed = openSessionEventFeed(database.url);
    let wakes = 0;
    const stop = feed.subscribe(session.id, () => {
      wakes += 1;
    });
    const wakesOfAnother: string[] = [];
    feed.subscribe(another.id, () => wakesOfAnother.push('woken'));
    const woken = async (work: () => Promise<unknown>) => {
      const before = wakes;
      await work();
      await eventually(() => expect(wakes).toBeGreaterThan(before));
    };
    try {
      await eventually(async () => {
        const { rows } = await database.db.raw(
          `select 1 from pg_stat_activity where application_name = 'gatepost-events' and datname = current_database() and query like 'listen%'`,
        );
        expect(rows).toHaveLength(1);
      });
      await eventually(() => expect(wakesOfAnother).toHaveLength(1));
      await woken(() => appendSessionEvent(database.db, session.id, status('one')));
      expect(wakesOfAnother).toHaveLength(1);
      await woken(() =>
        database.db.raw(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'gatepost-events' and datname = current_database()`,
        ),
      );
      await woken(() => appendSessionEvent(database.db, session.id, status('two')));
      stop();
      const before = wakes;
      await appendSessionEvent(database.db, session.id, status('three'));
      // What is announced later arrives later.
      const heard = wakesOfAnother.length;
      await appendSessionEvent(database.db, another.id, status('four'));
      await eventually(() => expect(wakesOfAnother.length).toBeGreaterThan(heard));
      expect(wakes).toBe(before);
    } finally {
      await feed.close();
    }
  });
});

describe('messages for the agent', () => {
  const input = (text: string, id = randomUUID()) =>
    ({ id, kind: 'user_message', text, decision: null, inputRequestId: null }) as const;

  it('are numbered without gaps, stored once, and delivered up to the acknowledged one', async () => {
    const first = input('one');
    await addSessionInput(database.db, session.id, first);
    await Promise.all([
      addSessionInput(database.db, session.id, first),
      addSessionInput(database.db, session.id, input('two')),
      addSessionInput(database.db, session.id, input('three')),
    ]);
    const all = () => listSessionInputs(database.db, session.id, { after: 0 });
    expect((await all()).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await markInputsDelivered(database.db, session.id, 2);
    const waiting = database.db('session_inputs').where({ session_id: session.id }).whereNull('delivered_at');
    expect(await waiting.pluck('seq')).toEqual([3]);
    expect((await listSessionInputs(database.db, session.id, { after: 2 })).map(({ seq }) => seq)).toEqual([
      3,
    ]);
    expect(await all()).toHaveLength(3);
  });
});

describe('tool calls', () => {
  it('are recorded once each, with the grant of the check and not that of the report', async () => {
    const agent = await tenant.agent();
    const gated = await freezeGates(database.db, await tenant.session(agent), agent);
    const grant = await giveGrant(database.db, gated);
    const call = callOf(gated);
    await checkAndConsume(database.db, call);
    const record = (callId: string, tool: string) => ({
      call_id: callId,
      server: 'files',
      tool,
      started_at: new Date().toISOString(),
      duration_ms: 12.5,
      outcome: 'ok' as const,
    });
    const calls = [record(call.callId, 'write_file'), record(randomUUID(), 'read_file')];
    await recordToolCalls(database.db, gated, calls);
    await recordToolCalls(database.db, gated, calls);
    const audit = await database
      .db('audit_events')
      .where({ session_id: gated.id, event: 'session.mcp.tool_called' })
      .orderBy('position');
    expect(audit.map(({ id, data }) => [id, data])).toEqual([
      [
        call.callId,
        { name: 'files', tool: 'write_file', duration_ms: 12.5, granted_via: grant.id, outcome: 'ok' },
      ],
      [
        calls[1]?.call_id,
        { name: 'files', tool: 'read_file', duration_ms: 12.5, granted_via: null, outcome: 'ok' },
      ],
    ]);
  });
});

describe('arguments and results of a call', () => {
  const payload = { json: '{"path":"\\u0000"}', truncated: false };
  const calls = () => [
    {
      call_id: randomUUID(),
      server: 'files',
      tool: 'read_file',
      started_at: new Date().toISOString(),
      duration_ms: 0,
      outcome: 'unknown' as const,
      arguments: payload,
    },
  ];
  const stored = async (id = '') => (await database.db('audit_events').where({ id }).first('data'))?.data;

  it('are stored only if the frozen session enables them, also when read from a spool', async () => {
    const quiet = calls();
    await recordLeftCalls(database.db, session.id, quiet);
    expect(await stored(quiet[0]?.call_id)).not.toHaveProperty('arguments');
    await database.db('session_configurations').where({ session_id: session.id }).delete();
    await storeConfiguration(database.db, {
      ...frozenFor(session, await tenant.agent()),
      log_tool_payloads: true,
    });
    const loud = calls();
    await recordLeftCalls(database.db, session.id, loud);
    expect(await stored(loud[0]?.call_id)).toMatchObject({ arguments: payload, outcome: 'unknown' });
    expect(await stored(loud[0]?.call_id)).not.toHaveProperty('result');
  });

  it('are deleted with their session', async () => {
    await expect(recordLeftCalls(database.db, randomUUID(), calls())).resolves.toBeUndefined();
  });
});

describe('artifacts', () => {
  it('are kept within the session’s limit, once each', async () => {
    const add = async (sizeBytes: number, id = randomUUID()) =>
      createArtifact(
        database.db,
        {
          id,
          sessionId: session.id,
          agentId: session.agent_id,
          name: 'report.txt',
          mimeType: 'text/plain',
          description: null,
          sha256: 'x',
          sizeBytes,
          contentId: await beginContent(database.db, session.id),
        },
        { sessionBytes: 1000 },
      );
    const id = randomUUID();
    const first = await add(600, id);
    expect(await add(600, id)).toEqual(first);
    const racing = await Promise.all([add(400), add(400), add(400)]);
    expect(racing.filter(({ result }) => result === 'stored')).toHaveLength(1);
    expect((await events()).filter(({ type }) => type === 'agent.artifact')).toHaveLength(2);
  });
});
