/** The API of schedules: who may do what, what is refused, and the state of their sessions. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type * as z from 'zod';
import type { Agent } from '../../../contract/agent.ts';
import type { ScheduleOutlook, ShownSchedule, shownRun } from '../../../contract/schedule.ts';
import type { Session } from '../../../contract/session.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let base: string;
let admin: Person;
let member: Person;
let other: Person;
let agent: Agent;

beforeAll(async () => {
  api = await startSessionApi({ LIMIT_SCHEDULES_PER_WORKSPACE: '3', SCHEDULE_SHORTEST_SECONDS: '120' });
});
beforeEach(async () => {
  const made = await api.workspace();
  ({ admin, member, base } = made);
  other = await api.person('Olga Other');
  await api.join(made.workspace, other, 'member');
  ({ agent } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: `agent-${randomUUID()}`,
    run: { type: 'builtin', name: 'scripted' },
    instructions: '{"steps":[]}',
  }));
});
afterAll(() => api.stop());

const input = (more: object = {}) => ({
  agent_id: agent.id,
  name: `Yearly ${randomUUID().slice(0, 8)}`,
  spec: { kind: 'cron', expression: '0 0 1 1 *' },
  prompt: 'Look at the private matter',
  ...more,
});
const create = async (who: Person, more: object = {}) =>
  (await who.ok<{ schedule: ShownSchedule }>('POST', `${base}/schedules`, input(more))).schedule;
const at = ({ id }: { id: string }, more = '') => `${base}/schedules/${id}${more}`;
const runsOf = async (who: Person, schedule: ShownSchedule) =>
  (await who.ok<{ runs: z.infer<typeof shownRun>[] }>('GET', at(schedule, '/runs'))).runs;
const auditOf = async (id: string) =>
  api.db('audit_events').where({ resource_id: id }).orderBy('position').select('event', 'actor_id', 'data');

/** The session of its only run, once it runs. */
async function startedSession(who: Person, schedule: ShownSchedule): Promise<string> {
  await who.ok('POST', at(schedule, '/run'), {});
  let sessionId = '';
  await eventually(async () => {
    sessionId = String((await runsOf(who, schedule))[0]?.session_id);
    expect(sessionId).toHaveLength(36);
  });
  await eventually(async () => {
    const { session } = await admin.ok<{ session: Session }>('GET', `/api/sessions/${sessionId}`);
    expect(session.status).toBe('starting');
  });
  await api.asSidecar(sessionId, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
  return sessionId;
}

/** Requests that only a schedule's maker and admins may make. */
const ofMaker = [
  ['PATCH', '', { name: 'Mine' }],
  ['POST', '/pause', {}],
  ['POST', '/resume', {}],
  ['POST', '/run', {}],
  ['GET', '/runs', undefined],
  ['DELETE', '', undefined],
] as const;

describe('a schedule', () => {
  it('is made by a member, and shows its next times in its zone', async () => {
    const schedule = await create(member, { time_zone: 'europe/berlin' });
    expect(schedule).toMatchObject({
      agent: { id: agent.id, name: agent.name },
      maker: { id: member.user.id, name: 'Max Member' },
      time_zone: 'Europe/Berlin',
      overlap: 'skip',
      paused_at: null,
      version: 1,
      may_change: true,
    });
    const read = await member.ok<{ outlook: ScheduleOutlook }>('GET', at(schedule));
    expect(read.outlook.next_times).toHaveLength(5);
    expect(read.outlook.next_times[0]).toMatch(/-12-31T23:00:00.000Z$/);
    expect(await auditOf(schedule.id)).toEqual([
      expect.objectContaining({ event: 'schedule.created', actor_id: member.user.id }),
    ]);
    expect(JSON.stringify(await auditOf(schedule.id))).not.toContain('private matter');
  });

  it('is seen by all members, its prompt and runs by its maker and admins, who alone change it', async () => {
    const schedule = await create(member);
    const list = async (who: Person) =>
      (await who.ok<{ schedules: ShownSchedule[] }>('GET', `${base}/schedules?agent_id=${agent.id}`))
        .schedules;
    expect(await list(other)).toMatchObject([{ id: schedule.id, prompt: null, may_change: false }]);
    expect(await list(admin)).toMatchObject([{ prompt: 'Look at the private matter', may_change: true }]);
    expect(await other.send('GET', at(schedule))).toMatchObject({
      status: 200,
      body: { schedule: { prompt: null } },
    });
    for (const [method, path, body] of ofMaker) {
      expect(await other.send(method, at(schedule, path), body)).toMatchObject({
        status: 403,
        body: { error: { message: expect.stringContaining('the maker of the schedule') } },
      });
    }
    expect(await admin.send('PATCH', at(schedule), { name: 'Theirs' })).toMatchObject({ status: 200 });
  });

  it('of another workspace is as one that there is not', async () => {
    const schedule = await create(member);
    const elsewhere = await api.workspace();
    for (const id of [schedule.id, randomUUID()]) {
      for (const [method, path, body] of [['GET', '', undefined], ...ofMaker] as const) {
        const answer = await elsewhere.admin.send(method, `${elsewhere.base}/schedules/${id}${path}`, body);
        expect(answer).toMatchObject({
          status: 404,
          body: { error: { message: 'The schedule was not found' } },
        });
      }
    }
    const foreign = await elsewhere.admin.send('POST', `${elsewhere.base}/schedules`, input());
    expect(foreign).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'agent_id', code: 'unknown_agent' }] } },
    });
  });

  it.each([
    [{ agent_id: randomUUID() }, 'agent_id', 'there is no such agent in this workspace'],
    [{ spec: { kind: 'cron', expression: '0 0 30 2 *' } }, 'spec.expression', 'never fires'],
    [{ spec: { kind: 'cron', expression: '0 0 * *' } }, 'spec.expression', 'must have five fields'],
    [
      { spec: { kind: 'cron', expression: '* * * * *' } },
      'spec.expression',
      'shortest time between two runs is 120',
    ],
    [{ spec: { kind: 'interval', every_seconds: 0 } }, 'spec.every_seconds', ''],
    [{ spec: { kind: 'interval', every_seconds: 119 } }, 'spec.every_seconds', 'is 120 seconds'],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone', 'must be a time zone'],
    [{ request_expiry_seconds: 5 }, 'request_expiry_seconds', ''],
  ])('with %j is refused at %s', async (fields, path, message) => {
    const answer = await member.send('POST', `${base}/schedules`, input(fields));
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path, message: expect.stringContaining(message) }] } },
    });
  });

  it('has a name of its own, and there are so many at most', async () => {
    const [first, second] = [await create(member, { name: 'One' }), await create(member, { name: 'Two' })];
    const taken = { status: 409, body: { error: { message: expect.stringContaining('of this name') } } };
    expect(await member.send('POST', `${base}/schedules`, input({ name: 'One' }))).toMatchObject(taken);
    expect(await member.send('PATCH', at(second), { name: 'One' })).toMatchObject(taken);
    expect(await member.send('PATCH', at(first), { name: 'One' })).toMatchObject({ status: 200 });
    await create(admin);
    expect(await member.send('POST', `${base}/schedules`, input())).toMatchObject({
      status: 409,
      body: { error: { message: 'The limit is 3 schedules per workspace; remove one first' } },
    });
  });

  it('is changed, paused, resumed and removed, each with an event that has no contents', async () => {
    const schedule = await create(member);
    await member.ok('PATCH', at(schedule), { prompt: 'Another private matter', overlap: 'buffer_one' });
    await member.ok('PATCH', at(schedule), { overlap: 'buffer_one' });
    await member.ok('POST', at(schedule, '/pause'), { note: 'Until the private matter is over' });
    const paused = await member.ok<{ schedule: ShownSchedule; outlook: ScheduleOutlook }>(
      'GET',
      at(schedule),
    );
    expect(paused).toMatchObject({
      schedule: { pause_reason: 'person', pause_note: 'Until the private matter is over', version: 3 },
      outlook: { next_times: [] },
    });
    expect(await member.send('POST', at(schedule, '/run'), {})).toMatchObject({
      status: 409,
      body: { error: { message: 'The schedule is paused: resume it first' } },
    });
    await member.ok('POST', at(schedule, '/pause'), {});
    await admin.ok('POST', at(schedule, '/resume'), {});
    const resumed = await member.ok<{ schedule: ShownSchedule }>('POST', at(schedule, '/resume'), {});
    expect(resumed.schedule).toMatchObject({ paused_at: null, pause_note: null, maker_id: member.user.id });
    await admin.ok('DELETE', at(schedule));
    expect(await member.send('GET', at(schedule))).toMatchObject({ status: 404 });
    expect(await api.workflows.schedules.readOutlook(schedule.id)).toBeNull();
    const events = await auditOf(schedule.id);
    expect(events.map(({ event, actor_id }) => [event, actor_id])).toEqual([
      ['schedule.created', member.user.id],
      ['schedule.updated', member.user.id],
      ['schedule.paused', member.user.id],
      ['schedule.resumed', admin.user.id],
      ['schedule.removed', admin.user.id],
    ]);
    expect(events[1]?.data).toMatchObject({ overlap: 'buffer_one', prompt_changed: true });
    expect(JSON.stringify(events)).not.toContain('private matter');
  });

  it('that Temporal was not notified of is stored, without next times for now', async () => {
    const { schedules } = api.workflows;
    const { put } = schedules;
    schedules.put = async () => {
      throw new Error('Temporal does not answer');
    };
    const schedule = await create(member).finally(() => {
      schedules.put = put;
    });
    const read = await member.ok<{ outlook: unknown }>('GET', at(schedule));
    expect(read.outlook).toBeNull();
  });
});

describe('a session of a schedule', () => {
  it('is read and ended by its maker, who answers its requests only as the owner of the agent', async () => {
    // Olga's schedule of Max's agent.
    const schedule = await create(other, { request_expiry_seconds: 90 });
    const sessionId = await startedSession(other, schedule);
    const shown = await other.ok<{ session: object }>('GET', `/api/sessions/${sessionId}`);
    expect(shown.session).toMatchObject({
      operator: null,
      root_operator: null,
      schedule: { id: schedule.id, name: schedule.name },
      schedule_maker: { id: other.user.id },
      may_message: false,
      may_terminate: true,
      may_mute: false,
    });
    const sessionsOf = async (who: Person) =>
      (await who.ok<{ sessions: Session[] }>('GET', `${base}/sessions`)).sessions.map(({ id }) => id);
    expect(await sessionsOf(other)).toEqual([sessionId]);
    expect(await sessionsOf(member)).toEqual([]);
    expect(await member.send('GET', `/api/sessions/${sessionId}`)).toMatchObject({ status: 403 });
    expect(await member.send('POST', `/api/sessions/${sessionId}/terminate`, {})).toMatchObject({
      status: 403,
    });

    const requestId = randomUUID();
    const asked = await api.asSidecar(sessionId, 'POST', 'permission-requests', {
      request_id: requestId,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      justification: 'I have to',
      refused_call: null,
    });
    expect(asked).toMatchObject({ status: 200, body: { status: 'sent' } });
    const expiresIn = Date.parse((asked.body as { expires_at: string }).expires_at) - Date.now();
    expect(expiresIn).toBeLessThanOrEqual(90_000);
    const mayDecide = async (who: Person) =>
      (
        await who.ok<{ permission_request: { may_decide: boolean } }>(
          'GET',
          `${base}/permission-requests/${requestId}`,
        )
      ).permission_request.may_decide;
    expect([await mayDecide(other), await mayDecide(member), await mayDecide(admin)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await other.send('POST', at(schedule, '/run'), {})).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('has not ended') } },
    });
    await other.ok('POST', `/api/sessions/${sessionId}/terminate`, {});
    await eventually(async () =>
      expect(await runsOf(other, schedule)).toMatchObject([
        { session_id: sessionId, outcome: 'started', session_status: 'terminated' },
      ]),
    );
  });

  it('ends with its maker’s membership; an admin who resumes the schedule takes it over', async () => {
    const schedule = await create(other);
    const sessionId = await startedSession(other, schedule);
    await admin.ok('DELETE', `${base}/members/${other.user.id}`);
    expect((await admin.ok<{ schedule: ShownSchedule }>('GET', at(schedule))).schedule).toMatchObject({
      pause_reason: 'maker_left',
      maker: { id: other.user.id },
    });
    expect(await api.workflows.schedules.readOutlook(schedule.id)).toMatchObject({ next_times: [] });
    expect(api.signalled).toContain(sessionId);
    await api.workflows.signalSession(sessionId, 'terminate');
    await eventually(async () => {
      const { session } = await admin.ok<{ session: Session }>('GET', `/api/sessions/${sessionId}`);
      expect(session.status).toBe('terminated');
    });
    expect(await other.send('GET', `/api/sessions/${sessionId}`)).toMatchObject({ status: 404 });
    const resumed = await admin.ok<{ schedule: ShownSchedule }>('POST', at(schedule, '/resume'), {});
    expect(resumed.schedule).toMatchObject({ paused_at: null, maker: { id: admin.user.id } });
  });

  it('goes with its agent, and the schedule waits for another one', async () => {
    const schedule = await create(member);
    await admin.ok('DELETE', `/api/agents/${agent.id}`);
    expect((await member.ok<{ schedule: ShownSchedule }>('GET', at(schedule))).schedule).toMatchObject({
      agent: null,
      pause_reason: 'agent_removed',
    });
    expect(await member.send('POST', at(schedule, '/resume'), {})).toMatchObject({
      status: 409,
      body: { error: { message: 'Its agent was removed: name another one first' } },
    });
    expect(await member.send('PATCH', at(schedule), { name: 'Still' })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'agent_id', code: 'agent_removed' }] } },
    });
    const { agent: next } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, {
      name: 'next',
      run: { type: 'builtin', name: 'scripted' },
    });
    await member.ok('PATCH', at(schedule), { agent_id: next.id });
    await member.ok('POST', at(schedule, '/resume'), {});
  });
});
