/**
 * The first page of a workspace for three people: an admin, a member who operates sessions, and another
 * member. Each sees, also by count, the sessions that their list shows, and what they alone may do.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createSession } from '../../../commands/sessions/create.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { WorkspaceHome } from '../../../contract/home.ts';
import { homeBounds } from '../../../contract/home-bounds.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { insertInputRequest } from '../../../store/input-requests/input-requests.ts';
import type { Person } from '../../support/api.ts';
import { useSessionApi } from '../../support/use-session-api.ts';
import { listOf, report, sessionWith, tool } from './reported-lists.ts';

const api = useSessionApi();
let workspace: Workspace;
let base: string;
let admin: Person;
let operator: Person;
let other: Person;
let agent: Agent;
/** The session that the operator runs. */
let own: Session;

const homeOf = async (person: Person, query = ''): Promise<WorkspaceHome> =>
  (await person.ok<{ home: WorkspaceHome }>('GET', `${base}/home${query}`)).home;
const listOfSessions = async (person: Person): Promise<Session[]> =>
  (await person.ok<{ sessions: Session[] }>('GET', `${base}/sessions?limit=200`)).sessions;
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();
const sumOf = (days: readonly object[]) =>
  days
    .flatMap((day) => Object.values(day))
    .filter((value) => typeof value === 'number')
    .reduce((sum: number, value) => sum + value, 0);

/** A session without a workload. */
const started = async (of: Partial<Parameters<typeof createSession>[1]>): Promise<string> => {
  const nobody = { operatorId: null, rootOperatorId: null, parentSessionId: null };
  const session = { id: randomUUID(), workspaceId: workspace.id, agentId: agent.id, ...nobody };
  return (await createSession(api.db, { ...session, prompt: 'Look\nclosely', ...of })).id;
};
const by = ({ user: { id } }: Person) => ({ operatorId: id, rootOperatorId: id });
const fail = (id: string, reason = 'It broke') =>
  api
    .db('sessions')
    .where({ id })
    .update({ status: 'failed', status_reason: reason, ended_at: api.db.fn.now() });
const ask = async (session: { id: string }, scope: string) => {
  const request_id = randomUUID();
  const answer = await api.asSidecar(session.id, 'POST', 'permission-requests', {
    ...{ request_id, grant_type: 'tool_scope', details: { scope }, scope: 'session' },
    ...{ justification: 'The agent’s own words', refused_call: null },
  });
  expect(answer).toMatchObject({ status: 200, body: { status: 'sent' } });
  return request_id;
};

beforeAll(async () => {
  ({ workspace, admin, member: operator, base } = await api.workspace());
  other = await api.person('Olga Other');
  await api.join(workspace, other, 'member');
  const entry = {
    name: 'files',
    shape: { type: 'command', command: 'node', args: ['server.js'] },
    manifest: { env: {}, tool_scopes: { write_file: 'files.write' } },
  };
  const { mcp_server } = await admin.ok<{ mcp_server: { id: string } }>('POST', `${base}/mcp-servers`, entry);
  own = await sessionWith(api, { person: operator, base }, { entry_id: mcp_server.id, entry_version: 1 });
  ({ agent } = await operator.ok<{ agent: Agent }>('GET', `/api/agents/${own.agent_id}`));
  const child = await started({ rootOperatorId: operator.user.id, parentSessionId: own.id });
  await fail(await started({ ...by(operator), prompt: '\n\n Write the notes \nand more' }));
  await fail(child);
  await started(by(admin));
  await fail(await started(by(admin)));
  await started(by(other));
  const shared = await started(by(admin));
  await api.db('sessions').where({ id: shared }).update({ shared_with_workspace: true });
  await insertInputRequest(api.db, own.id, { id: randomUUID(), prompt: 'Which one?', options: [] });
  await insertInputRequest(api.db, own.id, { id: randomUUID(), prompt: 'And?', options: [] });
  await report(api, own, listOf([tool('read')]));
  await report(api, own, listOf([tool('read', 'otherwise')]));
});

const everybody = (): [name: string, person: Person][] => [
  ['admin', admin],
  ['operator', operator],
  ['other member', other],
];

describe('the first page of a workspace', () => {
  it('shows each person the sessions of their list, and counts no other', async () => {
    for (const [who, person] of everybody()) {
      const [home, sessions] = [await homeOf(person), await listOfSessions(person)];
      const failed = sessions.filter(({ status }) => status === 'failed');
      const unfinished = sessions.filter(({ ended_at: at }) => at === null);
      expect({ who, running: home.running.count, ids: idsOf(home.running.first) }).toEqual({
        who,
        running: unfinished.length,
        ids: idsOf(unfinished),
      });
      expect({ who, failed: home.failed.count, ids: idsOf(home.failed.first) }).toEqual({
        who,
        failed: failed.length,
        ids: idsOf(failed),
      });
      expect({ who, week: sumOf(home.week.sessions) }).toEqual({ who, week: sessions.length });
      expect(home.week.sessions).toHaveLength(7);
      expect(home.week.is_partial).toBe(false);
    }
    const counts = await Promise.all(
      everybody().map(async ([, person]) => (await homeOf(person)).running.count),
    );
    expect(counts).toEqual([4, 2, 2]);
  });

  it('shows a decision to those who may make it, without the words of the agent', async () => {
    const id = await ask(own, 'files.write');
    for (const person of [admin, operator]) {
      const { decisions } = (await homeOf(person)).needs;
      expect(decisions).toMatchObject({
        count: 1,
        first: [{ id, matter: 'files.write', tool: null, session: { id: own.id, title: 'Do it' } }],
      });
      expect(JSON.stringify(decisions)).not.toContain('own words');
    }
    expect((await homeOf(other)).needs.decisions).toEqual({ count: 0, first: [] });
    expect(sumOf((await homeOf(other)).week.requests)).toBe(0);
    await operator.ok('POST', `${base}/permission-requests/${id}/deny`, {});
    const { needs, week } = await homeOf(operator);
    expect(needs.decisions.count).toBe(0);
    expect(week.requests.at(-1)).toMatchObject({ denied: 1, open: 0 });
  });

  it('shows a question to the operator alone, and changed tools to admins', async () => {
    const [ofAdmin, ofOperator, ofOther] = await Promise.all(
      everybody().map(async ([, person]) => (await homeOf(person)).needs),
    );
    expect([ofAdmin?.answers, ofOther?.answers]).toEqual([
      { count: 0, first: [] },
      { count: 0, first: [] },
    ]);
    expect(ofOperator?.answers).toMatchObject({ count: 1, first: [{ session: { id: own.id } }] });
    expect(ofAdmin?.changed_tools).toMatchObject({
      count: 1,
      first: [{ mcp_server: 'files', version: 1, waiting: 1 }],
    });
    expect([ofOperator?.changed_tools.count, ofOther?.changed_tools.count]).toEqual([0, 0]);
  });

  it('shows a sign-in to the one person who can make it', async () => {
    const [{ id: registration_id } = { id: '' }] = await api
      .db('mcp_registrations')
      .insert({
        ...{ workspace_id: workspace.id, entry_name: 'tickets' },
        ...{ shape: '{}', redirect_uri: 'https://platform.test/callback' },
      })
      .returning('id');
    await api.db('oauth_authorizations').insert({
      ...{ workspace_id: workspace.id, user_id: operator.user.id, registration_id, session_id: own.id },
      ...{ scopes: [], missing_scopes: ['write'], expires_at: new Date(Date.now() + 60_000).toISOString() },
    });
    expect((await homeOf(operator)).needs.sign_ins).toMatchObject({
      count: 1,
      first: [{ mcp_server: 'tickets', is_for_more: true, session: { id: own.id } }],
    });
    for (const person of [admin, other]) {
      expect((await homeOf(person)).needs.sign_ins.count).toBe(0);
    }
    await api.db('oauth_authorizations').update({ status: 'cancelled' });
    expect((await homeOf(operator)).needs.sign_ins.count).toBe(0);
  });

  it('offers to run again what the person started, and no prompt of another', async () => {
    const { failed } = await homeOf(operator);
    expect(failed.first.map(({ title, reason, may_run_again: may }) => ({ title, reason, may }))).toEqual(
      expect.arrayContaining([
        { title: 'Write the notes', reason: 'It broke', may: true },
        { title: 'Look', reason: 'It broke', may: false },
      ]),
    );
    const ofAdmin = (await homeOf(admin)).failed.first;
    expect(ofAdmin.filter(({ may_run_again: may }) => may)).toHaveLength(1);
    expect(ofAdmin.find(({ title }) => title === 'Write the notes')?.may_run_again).toBe(false);
    await api.db('agents').where({ id: agent.id }).update({ archived_at: api.db.fn.now() });
    expect((await homeOf(operator)).failed.first.some(({ may_run_again: may }) => may)).toBe(false);
    await api.db('agents').where({ id: agent.id }).update({ archived_at: null });
  });

  it('names the next runs of schedules that are not paused, soonest first', async () => {
    const spec = (expression: string) => ({ kind: 'cron', expression });
    const schedule = (name: string, expression: string) =>
      operator.ok<{ schedule: { id: string } }>('POST', `${base}/schedules`, {
        ...{ agent_id: agent.id, name, prompt: 'Not for everybody', spec: spec(expression) },
      });
    await schedule('Yearly', '0 0 1 1 *');
    await schedule('Hourly', '@hourly');
    const { schedule: paused } = await schedule('Paused', '@hourly');
    await operator.ok('POST', `${base}/schedules/${paused.id}/pause`, {});
    const { next_runs: runs } = await homeOf(other);
    expect(runs.map(({ schedule: { name } }) => name)).toEqual(['Hourly', 'Yearly']);
    expect(Date.parse(runs[0]?.at ?? '')).toBeGreaterThan(Date.now());
    expect(JSON.stringify(runs)).not.toContain('Not for everybody');
  });

  it('says how far the workspace is set up, of channels to admins only', async () => {
    const all = { server: true, gate: true, agent: true, session: true, people: true };
    expect((await homeOf(admin)).setup).toEqual({ ...all, channel: false });
    expect((await homeOf(other)).setup).toEqual({ ...all, channel: null });
    const empty = await api.workspace();
    const answer = await empty.member.ok<{ home: WorkspaceHome }>('GET', `${empty.base}/home`);
    expect(answer.home.setup).toEqual({
      ...{ server: false, gate: false, agent: false, session: false, people: true, channel: null },
    });
  });

  it('counts days by the clock of the person', async () => {
    const daysOf = async (zone: string) =>
      (await homeOf(operator, `?time_zone=${zone}`)).week.sessions.map(({ day }) => day);
    const [early, late] = [await daysOf('Etc/GMT%2B12'), await daysOf('Etc/GMT-12')];
    expect(early.slice(1)).toEqual(late.slice(0, 6));
    expect(await daysOf('Mars/Olympus')).toEqual(await daysOf('UTC'));
  });

  it('reads as few statements for many sessions as for few, and counts to a bound', async () => {
    const countOnce = async () => {
      let count = 0;
      const onQuery = () => {
        count += 1;
      };
      api.db.on('query', onQuery);
      await homeOf(operator);
      api.db.off('query', onQuery);
      return count;
    };
    // The worker beside it asks as well, now and then.
    const countStatements = async () =>
      Math.min(await countOnce(), await countOnce(), await countOnce(), await countOnce());
    const before = await countStatements();
    const row = { workspace_id: workspace.id, agent_id: agent.id, operator_id: operator.user.id, prompt: '' };
    const many = Array.from({ length: homeBounds.counted }, () => row);
    await api.db('sessions').insert(many);
    await api
      .db('sessions')
      .insert(
        many.map((each) => ({ ...each, status: 'failed' as const, ended_at: new Date().toISOString() })),
      );
    const { running, failed } = await homeOf(operator);
    expect([running.count, running.first.length]).toEqual([homeBounds.counted, homeBounds.rows]);
    expect([failed.count, failed.first.length]).toEqual([homeBounds.counted, homeBounds.rows]);
    expect(await countStatements()).toBe(before);
  });
});

describe('the example of a new workspace', () => {
  interface Added {
    session: Session & { agent: { name: string } };
  }

  it('is added and started in one request, once however often that is sent', async () => {
    const { admin: person, base: at } = await api.workspace();
    const send = (key: string) => person.send('POST', `${at}/example`, undefined, { 'idempotency-key': key });
    // Two clicks before anything is there, in one window and in another.
    const both = await Promise.all([send('one-window'), send('one-window'), send('another-window')]);
    const ids = both.map(({ body }) => (body as Added).session.id);
    expect(new Set(ids).size).toBe(1);
    const first = await person.ok<Added>('POST', `${at}/example`);
    expect(first.session).toMatchObject({
      id: ids[0],
      prompt: 'Write the report.',
      agent: { name: 'scribe' },
    });
    const again = await Promise.all([
      person.ok<Added>('POST', `${at}/example`),
      person.ok<Added>('POST', `${at}/example`),
    ]);
    expect(again.map(({ session }) => session.id)).toEqual([first.session.id, first.session.id]);
    expect(await person.ok('GET', `${at}/mcp-servers`)).toMatchObject({
      mcp_servers: [
        { name: 'files', network: 'none', manifest: { tool_scopes: { write_file: 'files.write' } } },
      ],
    });
    expect(await person.ok('GET', `/api/agents/${first.session.agent_id}/mcp-attachments`)).toMatchObject({
      attachments: [{ name: 'files' }],
    });
    const { home } = await person.ok<{ home: WorkspaceHome }>('GET', `${at}/home`);
    expect(home).toMatchObject({ example_refusal: null, setup: { server: true, gate: true, session: true } });
  });

  it('is refused to members, who are told why before they try', async () => {
    const { member: person, base: at } = await api.workspace();
    const reason = 'Only a workspace admin may register, update or remove MCP servers';
    expect(await person.send('POST', `${at}/example`)).toMatchObject({
      status: 403,
      body: { error: { message: reason } },
    });
    const { home } = await person.ok<{ home: WorkspaceHome }>('GET', `${at}/home`);
    expect(home.example_refusal).toBe(reason);
  });

  it('takes no other server and no other agent of its names for its own, and leaves nothing behind', async () => {
    const { admin: person, base: at } = await api.workspace();
    const entry = (tool_scopes: object) => ({
      ...{ name: 'files', shape: { type: 'command', command: 'mcp-server-filesystem', args: ['.'] } },
      ...{ network: 'none', manifest: { env: {}, tool_scopes } },
    });
    // The same program, but a tool that the agent writes with needs no grant.
    await person.ok('POST', `${at}/mcp-servers`, entry({ edit_file: 'files.write' }));
    expect(await person.send('POST', `${at}/example`)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('another MCP server') } },
    });
    await person.ok('DELETE', `${at}/mcp-servers/files`);
    const run = { type: 'builtin', name: 'scripted' };
    await person.ok('POST', `${at}/agents`, { name: 'scribe', run, instructions: '{"steps":[]}' });
    expect((await person.send('POST', `${at}/example`)).status).toBe(409);
    expect(await person.ok('GET', `${at}/mcp-servers`)).toMatchObject({ mcp_servers: [] });
  });
});
