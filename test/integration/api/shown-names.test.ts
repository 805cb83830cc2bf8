/** Names of agents, schedules, entries and sessions, as one gives them who wants another's to be read. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { agentMessage } from '../../../activities/channel-messages/slack-message.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let base: string;
let admin: Person;
let member: Person;

beforeAll(async () => {
  api = await startSessionApi();
});
beforeEach(async () => {
  ({ workspace, base, admin, member } = await api.workspace());
});
afterAll(() => api.stop());

const agentBody = (name: string) => ({ name, run: { type: 'builtin', name: 'scripted' } });
const createAgent = (name: string, who = member) => who.send('POST', `${base}/agents`, agentBody(name));
const created = async (name: string, who = admin) =>
  (await who.ok<{ agent: Agent }>('POST', `${base}/agents`, agentBody(name))).agent;
const names = async () =>
  (await member.ok<{ agents: Agent[] }>('GET', `${base}/agents`)).agents.map(({ name }) => name);
const taken = (name: string) => ({
  status: 409,
  body: {
    error: {
      code: 'conflict',
      message: expect.stringContaining(`"${name}"`),
      fields: [{ path: 'name', code: 'name_taken' }],
    },
  },
});
const refused = (message: string) => ({
  status: 422,
  body: { error: { fields: [{ path: 'name', message: expect.stringContaining(message) }] } },
});

/** Each is printed or drawn as `scribe`, or is its name in other letters. */
const likeScribe: [string, string][] = [
  ['Cyrillic letters', 'ѕсrіbе'],
  ['zero-width characters', 'scr\u200bi\u2060be\ufeff'],
  ['full-width letters', 'ｓｃｒｉｂｅ'],
  ['marks that turn the direction of text', '\u200fscribe\u200e'],
  ['an override of the direction', '\u202escribe\u202c'],
  ['a joiner between letters', 'scr\u200dibe'],
  ['capital letters', 'Scribe'],
  ['a capital that looks like a small letter', 'scrіbe'],
  ['spaces around it', '\u2003scribe\u00a0'],
  ['letters that are drawn as nothing', 'scribe\u3164'],
];

describe('an agent', () => {
  it.each(likeScribe)('is not named beside scribe with %s, at first or later', async (_what, name) => {
    await created('scribe');
    expect(await createAgent(name)).toMatchObject(taken('scribe'));
    const own = await created('mine', member);
    expect(await member.send('PATCH', `/api/agents/${own.id}`, { name })).toMatchObject(taken('scribe'));
    expect(await names()).toEqual(['mine', 'scribe']);
  });

  it.each([
    ['blanks', ' \u2003 '],
    ['zero-width characters', '\u200b\u200d\u2060'],
    ['letters that are drawn as nothing', '\u3164\u2800'],
    ['a mark alone', '\u0301'],
  ])('is not named by %s alone', async (_what, name) => {
    expect(await createAgent(name)).toMatchObject(refused('must show something'));
    const own = await created('mine', member);
    expect(await member.send('PATCH', `/api/agents/${own.id}`, { name })).toMatchObject(
      refused('must show something'),
    );
  });

  it('is not named with control characters', async () => {
    for (const name of ['scri\u0007be', 'scri\u001bbe', 'scri\u0085be', 'two\nlines', 'two\u2028lines']) {
      expect(await createAgent(`${name}x`)).toMatchObject(refused('control characters'));
    }
  });

  it('is stored as it is read: trimmed, composed, without what nobody sees', async () => {
    expect(await created(' e\u0301cri\u200bvain\u00a0 2 ')).toMatchObject({ name: 'écrivain 2' });
    expect(await created('می\u200cخواهم')).toMatchObject({ name: 'می\u200cخواهم' });
  });

  it('keeps what it is called when its name is sent again, or written otherwise', async () => {
    const { id } = await created('scribe');
    for (const name of ['scribe', 'Scribe', 'SCRIBE']) {
      expect(await admin.ok('PATCH', `/api/agents/${id}`, { name })).toMatchObject({ agent: { name } });
    }
    expect(await createAgent('scribe')).toMatchObject(taken('SCRIBE'));
  });

  it('frees its name with its removal and with another name', async () => {
    const { id } = await created('scribe');
    await admin.ok('PATCH', `/api/agents/${id}`, { name: 'writer' });
    expect(await createAgent('ѕсrіbе')).toMatchObject({ status: 201 });
    expect(await createAgent('WRITER')).toMatchObject(taken('writer'));
    await admin.ok('DELETE', `/api/agents/${id}`);
    expect(await createAgent('WRITER')).toMatchObject({ status: 201 });
  });

  it('has its name alone, however many are created at once', async () => {
    const wanted = ['scribe', 'Scribe', 'ѕсrіbе', 'ｓｃｒｉｂｅ', 'scr\u200bibe', 'SCRIBE'];
    const answers = await Promise.all(wanted.map((name) => createAgent(name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await names()).toHaveLength(1);
    const others = await Promise.all(['a', 'b', 'c'].map((name) => created(name)));
    const renamed = await Promise.all(
      others.map(({ id }, at) =>
        admin.send('PATCH', `/api/agents/${id}`, { name: wanted[at]?.replace(/b/, 'p') }),
      ),
    );
    expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('of another workspace is no matter', async () => {
    await created('scribe');
    const other = await api.workspace();
    expect(await other.member.send('POST', `${other.base}/agents`, agentBody('Scribe'))).toMatchObject({
      status: 201,
    });
  });

  it('is printed by a channel under a name that no other agent is printed under', async () => {
    for (const name of ['scribe', ...likeScribe.map(([, each]) => each), 'scribe 2', 'scríbe', 'scribes']) {
      await createAgent(name);
    }
    const printed = (await names()).map((name) => agentMessage({ id: 'x', agent_name: name }, '').text);
    expect(new Set(printed).size).toBe(printed.length);
    expect(printed.filter((text) => text.toLowerCase().includes('"scribe"'))).toHaveLength(1);
  });
});

it('schedules are named as agents are', async () => {
  const agent = await created('scribe');
  const body = (name: string) => ({
    ...{ agent_id: agent.id, name, prompt: 'Go' },
    spec: { kind: 'interval', every_seconds: 3600 },
  });
  const post = (name: string) => admin.send('POST', `${base}/schedules`, body(name));
  expect(await post(' Night\u200bly ')).toMatchObject({
    status: 201,
    body: { schedule: { name: 'Nightly' } },
  });
  for (const name of ['nightly', 'Νightly', '\u202eNightly', 'NightIy']) {
    expect(await post(name)).toMatchObject(taken('Nightly'));
  }
  expect(await post('\u200b')).toMatchObject(refused('must show something'));
  const other = await post('Weekly');
  const { id } = (other.body as { schedule: { id: string } }).schedule;
  expect(await admin.send('PATCH', `${base}/schedules/${id}`, { name: 'NIGHTLY' })).toMatchObject(
    taken('Nightly'),
  );
  expect(await admin.send('PATCH', `${base}/schedules/${id}`, { name: 'weekly' })).toMatchObject({
    status: 200,
  });
});

it('entries of the catalog are not named by digits and letters that look like another’s', async () => {
  const post = (name: string) =>
    admin.send('POST', `${base}/mcp-servers`, { name, shape: { type: 'command', command: 'x' } });
  expect(await post('files-1')).toMatchObject({ status: 201 });
  for (const name of ['files-l', 'fi1es-1', 'files-1']) {
    expect(await post(name)).toMatchObject(taken('files-1'));
  }
  expect(await post('files-2')).toMatchObject({ status: 201 });
  await admin.ok('DELETE', `${base}/mcp-servers/files-1`);
  expect(await post('files-l')).toMatchObject({ status: 201 });
});

it('workspaces have cleaned names, which others may have as well', async () => {
  for (const slug of [1, 2].map((number) => `${base.split('/').at(-1)}-${number}`)) {
    const post = { slug, name: ' A\u200bcme\u202e ' };
    expect(await admin.ok('POST', '/api/workspaces', post)).toMatchObject({ workspace: { name: 'Acme' } });
    const path = `/api/workspaces/${slug}`;
    expect(await admin.send('PATCH', path, { name: '\u200b' })).toMatchObject(refused('must show something'));
  }
  expect(await api.db('workspaces').where({ id: workspace.id }).first('id')).toBeDefined();
});

describe('a session', () => {
  it('is called as its prompt begins, or as its operator or an admin named it, audited', async () => {
    const { agent } = await api.runningSession(member, base);
    const outsider = await api.person('Olga Outsider');
    await api.join(workspace, outsider, 'member');
    const body = { agent_id: agent.id, prompt: ' \n  Write \u202eit\u2066 <b>now</b>\nThe rest' };
    const { session } = await member.ok<{ session: Session }>('POST', `${base}/sessions`, body);
    const one = (more = '') => `/api/sessions/${session.id}${more}`;
    const titles = async () => {
      const { sessions } = await member.ok<{ sessions: { id: string; title: string }[] }>(
        'GET',
        `${base}/sessions`,
      );
      return sessions.filter(({ id }) => id === session.id).map(({ title }) => title);
    };
    expect(await titles()).toEqual(['Write it <b>now</b>']);
    const named = { title: '  The \u202ereport\u200b ' };
    const shown = { title: 'The report', prompt: body.prompt, may_rename: true };
    expect(await member.ok('PATCH', one(), named)).toMatchObject({ session: shown });
    await admin.ok('PATCH', one(), named);
    expect(await titles()).toEqual(['The report']);
    const wrong = [
      { title: '' },
      { title: 'two\nlines' },
      { title: '\u200b' },
      { title: 'x'.repeat(101) },
      {},
    ];
    for (const title of wrong) {
      expect(await member.send('PATCH', one(), title)).toMatchObject({ status: 422 });
    }
    await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
    expect(await outsider.ok('GET', one())).toMatchObject({ session: { ...shown, may_rename: false } });
    expect(await outsider.send('PATCH', one(), { title: 'Mine' })).toMatchObject({ status: 403 });

    await member.ok('POST', one('/terminate'), {});
    await eventually(async () =>
      expect(await member.ok('GET', one())).toMatchObject({ session: { status: 'terminated' } }),
    );
    expect(await admin.ok('PATCH', one(), { title: null })).toMatchObject({
      session: { title: 'Write it <b>now</b>', may_rename: true },
    });
    const { audit_events } = await admin.ok<{ audit_events: object[] }>(
      'GET',
      `${base}/audit-events?resource=${session.id}&event=session.renamed`,
    );
    expect(audit_events).toMatchObject([
      { actor: { id: admin.user.id }, data: { from: 'The report', to: null } },
      { actor: { id: member.user.id }, data: { from: null, to: 'The report' } },
    ]);
  });
});
