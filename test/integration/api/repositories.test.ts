/** Repositories of a workspace: who registers them, which an agent may name, and what is recorded. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Person } from '../../support/api.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let admin: Person;
let member: Person;
let base: string;
let workspaceId: string;

beforeAll(async () => {
  api = await startSessionApi({
    RUNTIME: 'process',
    PRIVATE_REPOSITORY_HOSTS: 'localhost:8443',
  });
});
beforeEach(async () => {
  const opened = await api.workspace();
  ({ admin, member, base } = opened);
  workspaceId = opened.workspace.id;
  await admin.ok('PUT', `${base}/secrets/GIT_TOKEN`, { value: 'token-not-told' });
});
afterAll(() => api.stop());

const code = { host: 'git.example.com', path: 'team/*', credential: '${GIT_TOKEN}' };
const set = (body: unknown, { by = admin, name = 'code' } = {}) =>
  by.send('PUT', `${base}/repositories/${name}`, body);
const agent = {
  ...{ name: 'coder', run: { type: 'builtin', name: 'scripted' }, instructions: '{"steps":[]}' },
  repository: { name: 'code', path: 'team/one', ref: 'main' },
};
const create = (repository: unknown, more: object = {}) =>
  member.send('POST', `${base}/agents`, { ...agent, ...more, repository });

describe('repositories', () => {
  it('are registered and removed by admins, shown to members, and recorded without a value', async () => {
    expect(await set(code, { by: member })).toMatchObject({ status: 403 });
    expect(await set(code)).toMatchObject({ status: 200, body: { repository: { name: 'code', ...code } } });
    expect(await set(code)).toMatchObject({ status: 200 });
    expect(await set({ ...code, path: 'team/two' })).toMatchObject({ status: 200 });
    expect(await member.ok('GET', `${base}/repositories`)).toMatchObject({
      repositories: [{ name: 'code', host: 'git.example.com', path: 'team/two', credential: '${GIT_TOKEN}' }],
    });
    const uses = await admin.ok('GET', `${base}/secrets/GIT_TOKEN/uses`);
    expect(uses).toMatchObject({ uses: [{ kind: 'repository', name: 'code', agent: null, variable: null }] });
    expect(await member.send('DELETE', `${base}/repositories/code`)).toMatchObject({ status: 403 });
    expect(await admin.send('DELETE', `${base}/repositories/code`)).toMatchObject({ status: 200 });
    expect(await admin.send('DELETE', `${base}/repositories/code`)).toMatchObject({ status: 404 });
    const events = await api
      .db('audit_events')
      .where({ workspace_id: workspaceId })
      .where('event', 'like', 'workspace.repository.%')
      .orderBy('position')
      .select('event', 'data');
    expect(events).toMatchObject([
      { event: 'workspace.repository.set', data: code },
      { event: 'workspace.repository.set', data: { ...code, path: 'team/two' } },
      { event: 'workspace.repository.removed' },
    ]);
    expect(JSON.stringify(events) + api.logged()).not.toContain('token-not-told');
  });

  it('take a secret that is set, and is not for certain servers', async () => {
    expect(await set({ ...code, credential: '${NONE}' })).toMatchObject({ status: 422 });
    expect(await set({ ...code, credential: 'token' })).toMatchObject({ status: 422 });
    await admin.ok('PATCH', `${base}/secrets/GIT_TOKEN`, { allowed_servers: [] });
    expect(await set(code)).toMatchObject({ status: 200 });
    expect(await set({ ...code, host: 'https://git.example.com' })).toMatchObject({ status: 422 });
    expect(await set(code, { name: 'No-Name' })).toMatchObject({ status: 422 });
  });

  it.each(['localhost', 'localhost:8444', 'git.localhost'])(
    'are not at %s, the machine that runs sessions, unless the operator lists it',
    async (host) => {
      const refused = [{ path: 'host', code: 'not_available', message: expect.stringContaining(host) }];
      expect(await set({ ...code, host })).toMatchObject({
        status: 422,
        body: { error: { fields: refused } },
      });
      expect(await set({ ...code, host: 'localhost:8443' })).toMatchObject({ status: 200 });
      expect(await create(agent.repository)).toMatchObject({ status: 201 });
      // As one that was registered while it was listed.
      await api.db('repositories').where({ workspace_id: workspaceId }).update({ host });
      expect(await create(agent.repository, { name: 'other' })).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: 'repository.name', message: expect.stringContaining(host) }] } },
      });
    },
  );

  it.each([
    ['another name', { name: 'other' }, /^repository\.name$/],
    ['another path', { path: 'others/one' }, /^repository\.path$/],
    ['no path', { path: null }, /^repository\.path$/],
    ['a path that leads up', { path: 'team/..' }, /^repository\.path$/],
    ['an option as a ref', { ref: '--upload-pack=touch' }, /^repository\.ref$/],
    ['a URL', { url: 'https://elsewhere.example.com/a' }, /^repository\.url$/],
    ['a host', { host: 'elsewhere.example.com' }, /^repository\.host$/],
  ])('are refused of an agent that names what is not registered: %s', async (_what, changes, path) => {
    await set(code);
    const refused = await create({ ...agent.repository, ...changes });
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: expect.stringMatching(path) }] } },
    });
  });

  it('are kept with an agent, and judged again when that is changed', async () => {
    await set(code);
    const created = await create(agent.repository);
    expect(created).toMatchObject({ status: 201, body: { agent: { repository: agent.repository } } });
    const { id } = (created.body as { agent: { id: string } }).agent;
    await admin.ok('DELETE', `${base}/repositories/code`);
    // What is not changed does not keep the rest from being saved.
    expect(await member.send('PATCH', `/api/agents/${id}`, { name: 'renamed' })).toMatchObject({
      status: 200,
    });
    const changed = { repository: { ...agent.repository, ref: 'v2' } };
    expect(await member.send('PATCH', `/api/agents/${id}`, changed)).toMatchObject({ status: 422 });
    expect(await member.send('PATCH', `/api/agents/${id}`, { repository: null })).toMatchObject({
      status: 200,
    });
  });

  it('that are gone or lead elsewhere keep their agents from starting, until they are back', async () => {
    await set(code);
    const created = await create(agent.repository);
    const { id } = (created.body as { agent: Agent }).agent;
    const shown = async () => (await member.ok<{ agent: Agent }>('GET', `/api/agents/${id}`)).agent;
    const start = () => member.send('POST', `${base}/sessions`, { agent_id: id, prompt: 'go' });
    expect(await shown()).toMatchObject({ unavailable: null });
    const whyNot = async (why: string) => {
      expect(await shown()).toMatchObject({ unavailable: { reason: expect.stringContaining(why) } });
      expect(await member.ok('GET', `${base}/agents`)).toMatchObject({
        agents: [{ unavailable: { reason: expect.stringContaining(why) } }],
      });
      expect(await start()).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: 'agent_id', message: expect.stringContaining(why) }] } },
      });
    };
    await set({ ...code, path: 'others/*' });
    await whyNot('its repository has a path that');
    await admin.ok('DELETE', `${base}/repositories/code`);
    await whyNot('its repository names the repository "code", which this workspace does not have');
    // Archiving neither asks for it nor gives it back.
    await member.ok('POST', `/api/agents/${id}/archive`, {});
    await member.ok('POST', `/api/agents/${id}/unarchive`, {});
    await whyNot('which this workspace does not have');
    await set(code);
    expect(await shown()).toMatchObject({ unavailable: null });
    expect(await start()).toMatchObject({ status: 201 });
  });
});
