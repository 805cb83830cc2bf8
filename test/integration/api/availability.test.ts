/**
 * What cannot run here is said where it is saved and shown, and admins read why (against a real Postgres).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemRoutes } from '../../../api/system/routes.ts';
import { acpPreset } from '../../../contract/acp-preset.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Availability, WorkerCapabilities } from '../../../contract/available-runs.ts';
import type { McpServer } from '../../../contract/catalog.ts';
import { forgetWorker, listWorkers, reportWorker } from '../../../store/workers/workers.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

const capabilities: WorkerCapabilities = {
  runtime: 'process',
  sandbox: true,
  internet: true,
  commands: null,
  missing_commands: [],
  limits: [],
  claude: false,
};
const bare = { ...capabilities, sandbox: false, internet: false, commands: ['mcp-server-filesystem'] };
const fields = (...paths: string[]) => ({
  status: 422,
  body: { error: { fields: paths.map((path) => expect.objectContaining({ path, code: 'not_available' })) } },
});

describe('what an installation can run', () => {
  let api: TestApi;
  let isReachable = true;

  beforeAll(async () => {
    const workflows = { isReachable: async () => isReachable };
    const overrides = { RUNTIME: 'process', PRIVATE_REGISTRIES: 'registry.internal:5000' };
    api = await startTestApi(overrides, (db, config) => systemRoutes({ db, config, workflows }));
  });
  afterAll(() => api.stop());

  const entry = (name: string, shape: object) => ({ name, shape, network: 'none' });
  const command = (name: string, program: string) => entry(name, { type: 'command', command: program });

  it('refuses at save what it cannot run, naming the field', async () => {
    const { admin, base } = await api.workspace();
    const image = entry('boxed', { type: 'image', image: 'registry.example/team/server:1' });
    expect(await admin.send('POST', `${base}/mcp-servers`, image)).toMatchObject(fields('shape.type'));
    const agent = { name: 'a', run: { type: 'image', image: 'registry.example/team/agent:1' } };
    expect(await admin.send('POST', `${base}/agents`, agent)).toMatchObject(fields('run.type'));
  });

  it('follows the reports of running workers: at save, in the catalog and in what is offered', async () => {
    const { admin, member, base } = await api.workspace();
    await admin.ok('POST', `${base}/mcp-servers`, command('any', 'node'));
    await admin.ok('POST', `${base}/mcp-servers`, command('known', 'mcp-server-filesystem'));
    const unavailable = async () => {
      const { mcp_servers: servers } = await member.ok<{
        mcp_servers: (McpServer & { unavailable: { reason: string } | null })[];
      }>('GET', `${base}/mcp-servers`);
      return Object.fromEntries(servers.map(({ name, unavailable: why }) => [name, why?.reason ?? null]));
    };
    expect(await unavailable()).toEqual({ any: null, known: null });

    const id = randomUUID();
    await reportWorker(api.db, { id, capabilities: bare });
    expect(await unavailable()).toEqual({ any: expect.stringMatching(/no sandbox/), known: null });
    expect(await admin.send('POST', `${base}/mcp-servers`, command('other', 'npx'))).toMatchObject(
      fields('shape.type'),
    );
    const { availability } = await member.ok<{ availability: Availability }>('GET', `${base}/availability`);
    expect(availability.internet).toMatch(/slirp4netns/);
    expect(availability.shapes.remote).toMatch(/remote MCP servers need a sandbox/);
    const remote = { name: 'remote', shape: { type: 'remote', url: 'https://server.example/mcp' } };
    const refused = await admin.send('POST', `${base}/mcp-servers`, remote);
    expect(refused.text).toContain(availability.shapes.remote ?? '');

    // The report of a worker that has not been seen for a while is ignored.
    await api
      .db('workers')
      .where({ id })
      .update({ seen_at: api.db.raw("now() - interval '5 minutes'") });
    expect(await unavailable()).toEqual({ any: null, known: null });
    expect(await listWorkers(api.db)).toMatchObject([{ id, is_running: false }]);
    await reportWorker(api.db, { id, capabilities });
    expect(await listWorkers(api.db)).toMatchObject([{ id, is_running: true, capabilities }]);
    await forgetWorker(api.db, id);
    expect(await listWorkers(api.db)).toEqual([]);
  });

  it('refuses a command whose program is missing where sessions run', async () => {
    const { admin, base } = await api.workspace();
    const id = randomUUID();
    await reportWorker(api.db, { id, capabilities: { ...capabilities, missing_commands: ['uvx'] } });
    const refused = await admin.send('POST', `${base}/mcp-servers`, command('time', 'uvx'));
    expect(refused).toMatchObject(fields('shape.type'));
    expect(JSON.stringify(refused.body)).toMatch(/needs uv, .* install it/);
    await admin.ok('POST', `${base}/mcp-servers`, command('other', 'npx'));
    await forgetWorker(api.db, id);
  });

  it('refuses an agent of others that is not installed where sessions run, or not wholly named', async () => {
    const { member, base } = await api.workspace();
    const id = randomUUID();
    await reportWorker(api.db, { id, capabilities: { ...capabilities, acp_presets: ['opencode'] } });
    const create = (name: string, run: object) =>
      member.send('POST', `${base}/agents`, { name, run: { type: 'builtin', name: 'acp', ...run } });
    const refused = await create('a', { preset: 'codex' });
    expect(refused).toMatchObject(fields('run.preset'));
    expect(refused.text).toContain('npm run acp:install -- codex');
    const wrong: [object, string][] = [
      [{}, 'run.preset'],
      [{ preset: 'gemini' }, 'run.preset'],
      [{ preset: 'custom' }, 'run.command'],
      [{ preset: 'opencode', command: 'sh' }, 'run.command'],
    ];
    for (const [run, path] of wrong) {
      const body = { error: { fields: [{ path }] } };
      expect(await create('a', run)).toMatchObject({ status: 422, body });
    }
    expect(await create('a', { preset: 'opencode' })).toMatchObject({ status: 201 });
    const own = { preset: 'custom', command: 'my-agent' };
    expect(await create('b', own)).toMatchObject({
      ...{ status: 201, body: { agent: { run: { ...own, args: [] }, unavailable: null } } },
    });
    await forgetWorker(api.db, id);
  });

  it('refuses an unavailable network: at save, and for agents that attach it', async () => {
    const { admin, member, base } = await api.workspace();
    const far = { ...command('far', 'mcp-server-everything'), network: 'internet' };
    await admin.ok('POST', `${base}/mcp-servers`, far);
    const run = { type: 'builtin', name: 'scripted' };
    const { agent } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, { name: 'a', run });
    await member.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'far', env: {} });

    const id = randomUUID();
    await reportWorker(api.db, { id, capabilities: { ...capabilities, internet: false } });
    const other = { ...far, name: 'other' };
    expect(await admin.send('POST', `${base}/mcp-servers`, other)).toMatchObject(fields('network'));
    const online = { name: 'b', run, network: 'internet' };
    expect(await member.send('POST', `${base}/agents`, online)).toMatchObject(fields('network'));
    const unavailable = { reason: expect.stringMatching(/^its MCP server "far": .*slirp4netns/) };
    expect(await member.ok('GET', `${base}/agents`)).toMatchObject({ agents: [{ unavailable }] });
    expect(await member.ok('GET', `/api/agents/${agent.id}`)).toMatchObject({ agent: { unavailable } });

    // An entry that cannot run can still be edited, also so that it runs.
    await admin.ok('PUT', `${base}/mcp-servers/far`, { ...far, approvers: 'admin' });
    await admin.ok('PUT', `${base}/mcp-servers/far`, { ...far, network: 'none' });
    expect(await admin.send('PUT', `${base}/mcp-servers/far`, far)).toMatchObject(fields('network'));
    expect(await member.ok('GET', `/api/agents/${agent.id}`)).toMatchObject({ agent: { unavailable: null } });
    await forgetWorker(api.db, id);
  });

  it('is shown to admins only, without any host of the operator', async () => {
    const { admin, member, base } = await api.workspace();
    await reportWorker(api.db, { id: randomUUID(), capabilities });
    expect(await member.send('GET', `${base}/system`)).toMatchObject({ status: 403 });
    const answer = await admin.send('GET', `${base}/system`);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        system: {
          runtime: 'process',
          temporal: { is_reachable: true },
          database: { version: expect.stringMatching(/^\d+/) },
          registries: { private_count: 1 },
          workers: [{ is_running: true, capabilities }],
        },
      },
    });
    expect(answer.text).not.toMatch(/registry\.internal|127\.0\.0\.1|postgres:/);
    isReachable = false;
    expect(await admin.send('GET', `${base}/system`)).toMatchObject({
      body: { system: { temporal: { is_reachable: false } } },
    });
  });
});

describe('the start of a session', () => {
  let api: SessionApi;

  beforeAll(async () => {
    api = await startSessionApi({ RUNTIME: 'process' });
  });
  afterAll(() => api.stop());

  it('is refused while an MCP server of the agent cannot run, and a repeated request still finds its session', async () => {
    const { admin, member, base } = await api.workspace();
    const far = { name: 'far', shape: { type: 'command', command: 'mcp-server-everything' } };
    await admin.ok('POST', `${base}/mcp-servers`, far);
    const run = { type: 'builtin', name: 'scripted' };
    const { agent } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, { name: 'a', run });
    await member.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'far', env: {} });
    const body = { agent_id: agent.id, prompt: 'go' };
    const key = { 'idempotency-key': randomUUID() };
    const start = (headers = {}) => member.send('POST', `${base}/sessions`, body, headers);
    expect(await start(key)).toMatchObject({ status: 201 });

    await reportWorker(api.db, { id: randomUUID(), capabilities: { ...capabilities, internet: false } });
    const refused = await start();
    expect(refused).toMatchObject(fields('agent_id'));
    expect(refused.text).toMatch(/it cannot run here: its MCP server \\"far\\": there is no way/);
    expect(await start(key)).toMatchObject({ status: 201 });
    await admin.ok('PUT', `${base}/mcp-servers/far`, { ...far, network: 'none' });
    expect(await start()).toMatchObject({ status: 201 });
  });
});

describe('what an installation on Kubernetes can run', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ RUNTIME: 'kubernetes' }, () => []);
  });
  afterAll(() => api.stop());

  it('refuses at save an agent of others that needs a loopback of its own, and takes one that does not', async () => {
    const { member, base } = await api.workspace();
    const id = randomUUID();
    const presets = { acp_presets: [...acpPreset.options] };
    await reportWorker(api.db, { id, capabilities: { ...capabilities, runtime: 'kubernetes', ...presets } });
    const create = (name: 'claude' | 'opencode') =>
      member.send('POST', `${base}/agents`, { name, run: { type: 'builtin', name: 'acp', preset: name } });
    const refused = await create('opencode');
    expect(refused).toMatchObject(fields('run.preset'));
    expect(refused.text).toContain('does not run on Kubernetes: it talks to itself by a port');
    expect(await create('claude')).toMatchObject({ status: 201, body: { agent: { unavailable: null } } });
  });

  it('refuses at save an agent with a repository', async () => {
    const { admin, base } = await api.workspace();
    await admin.ok('PUT', `${base}/repositories/code`, { host: 'git.example.com', path: 'team/one' });
    const agent = {
      ...{ name: 'coder', run: { type: 'builtin', name: 'scripted' } },
      repository: { name: 'code', ref: 'main' },
    };
    expect(await admin.send('POST', `${base}/agents`, agent)).toMatchObject(fields('repository'));
    const { agent: saved } = await admin.ok<{ agent: Agent }>('POST', `${base}/agents`, {
      ...{ ...agent, repository: null },
    });
    const changed = { repository: agent.repository };
    expect(await admin.send('PATCH', `/api/agents/${saved.id}`, changed)).toMatchObject(fields('repository'));
  });
});
