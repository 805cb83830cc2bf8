import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { McpServer } from '../../../contract/catalog.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ LIMIT_ATTACHMENTS_PER_AGENT: '3' });
});
afterAll(() => api.stop());

const command = (more: object = {}) => ({ shape: { type: 'command', command: 'server' }, ...more });
const remote = (more: object = {}) => ({ shape: { type: 'remote', url: 'https://mcp.test/', ...more } });
const auditOf = (workspaceId: string) =>
  api
    .db('audit_events')
    .where({ workspace_id: workspaceId })
    .orderBy('position')
    .select('event', 'resource_name', 'data');
const fieldsOf = (answer: { body: unknown }) =>
  (answer.body as { error: { fields: { path: string; code: string }[] } }).error.fields.map(
    ({ path, code }) => [path, code],
  );

describe('the MCP catalog', () => {
  it('registers, replaces and removes entries; each change has its event and its version', async () => {
    const { workspace, admin, base } = await api.workspace();
    const manifest = { env: {}, tool_scopes: { write_file: 'files.write' } };
    const { mcp_server: made } = await admin.ok<{ mcp_server: McpServer }>('POST', `${base}/mcp-servers`, {
      name: 'files',
      ...command({ manifest, network: 'none' }),
    });
    expect(made).toMatchObject({
      name: 'files',
      version: 1,
      manifest,
      manifest_source: 'pasted',
      network: 'none',
      approvers: 'operator',
      created_by: admin.user.id,
      shape: { type: 'command', command: 'server', args: [] },
    });
    const changed = { name: 'files', ...command({ manifest, network: 'none', approvers: 'admin' }) };
    const put = () => admin.ok<{ mcp_server: McpServer }>('PUT', `${base}/mcp-servers/files`, changed);
    expect((await put()).mcp_server).toMatchObject({ id: made.id, version: 2, approvers: 'admin' });
    expect((await put()).mcp_server.version).toBe(2);
    expect(await admin.ok('GET', `${base}/mcp-servers/files`)).toMatchObject({ mcp_server: { version: 2 } });
    expect(await admin.ok('DELETE', `${base}/mcp-servers/files`)).toEqual({ ok: true });
    expect(await admin.send('GET', `${base}/mcp-servers/files`)).toMatchObject({ status: 404 });
    const events = (await auditOf(workspace.id)).filter(({ event }) => event.startsWith('workspace.mcp'));
    expect(events.map(({ event }) => event)).toEqual([
      'workspace.mcp.registered',
      'workspace.mcp.updated',
      'workspace.mcp.removed',
    ]);
  });

  it('replaces only the version that the sender expects', async () => {
    const { admin, base } = await api.workspace();
    const url = `${base}/mcp-servers/files?expected_version=`;
    const put = (version: number, more: object) =>
      admin.send('PUT', `${url}${version}`, { name: 'files', ...command(more) });
    await admin.ok('POST', `${base}/mcp-servers`, { name: 'files', ...command() });
    expect(await put(1, { approvers: 'admin' })).toMatchObject({ body: { mcp_server: { version: 2 } } });
    expect(await put(1, { network: 'none' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', message: expect.stringContaining('it is at version 2') } },
    });
    expect(await put(1, { approvers: 'admin' })).toMatchObject({ body: { mcp_server: { version: 2 } } });
  });

  it('keeps asking for a passkey until it is told not to, and audits both', async () => {
    const { workspace, admin, base } = await api.workspace();
    const put = (more: object) =>
      admin.ok('PUT', `${base}/mcp-servers/files`, { name: 'files', ...command(more) });
    await admin.ok('POST', `${base}/mcp-servers`, { name: 'files', ...command() });
    expect(await put({ require_passkey: true })).toMatchObject({ mcp_server: { require_passkey: true } });
    expect(await put({ network: 'none' })).toMatchObject({ mcp_server: { require_passkey: true } });
    expect(await put({ require_passkey: false })).toMatchObject({ mcp_server: { require_passkey: false } });
    const changes = (await auditOf(workspace.id)).filter(({ event }) => event === 'workspace.mcp.updated');
    expect(changes).toMatchObject([
      { data: { require_passkey: { old: false, new: true } } },
      { data: { changed: ['network'] } },
      { data: { require_passkey: { old: true, new: false } } },
    ]);
  });

  it('reports who uses an entry: agents, and the secrets that are restricted to it', async () => {
    const { admin, member, base } = await api.workspace();
    const manifest = { tool_scopes: { write_file: 'files.write', edit_file: 'files.write' } };
    await admin.ok('POST', `${base}/mcp-servers`, { name: 'files', ...command({ manifest }) });
    const agents = [];
    for (const name of ['writer', 'reader']) {
      const run = { type: 'builtin', name: 'scripted' };
      const { agent } = await member.ok<{ agent: { id: string } }>('POST', `${base}/agents`, { name, run });
      await member.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });
      agents.unshift({ id: agent.id, name });
    }
    await admin.ok('PUT', `${base}/secrets/KEPT`, { value: 'x' });
    await admin.ok('PATCH', `${base}/secrets/KEPT`, { allowed_servers: ['files'] });
    await admin.ok('PUT', `${base}/secrets/FREE`, { value: 'x' });
    const uses = `${base}/mcp-servers/files/uses`;
    expect(await member.ok('GET', uses)).toEqual({
      agents,
      secrets: ['KEPT'],
      scopes: ['files.write'],
      next_cursor: null,
    });
    const first = await member.ok<{ next_cursor: string }>('GET', `${uses}?limit=1`);
    expect(first).toMatchObject({ agents: [agents[0]] });
    expect(await member.ok('GET', `${uses}?limit=1&cursor=${first.next_cursor}`)).toMatchObject({
      agents: [agents[1]],
      next_cursor: null,
    });
  });

  it('gives an entry as a document of the MCP registry, where the format can describe it', async () => {
    const { admin, member, base } = await api.workspace();
    const shape = { type: 'command', command: 'npx', args: ['-y', 'weather@1.2.0'] };
    await admin.ok('POST', `${base}/mcp-servers`, { name: 'weather', shape });
    await admin.ok('POST', `${base}/mcp-servers`, { name: 'own', ...command() });
    expect(await member.ok('GET', `${base}/mcp-servers/weather/server.json`)).toMatchObject({
      name: 'localhost/weather',
      packages: [{ registryType: 'npm', identifier: 'weather', version: '1.2.0' }],
    });
    expect(await member.send('GET', `${base}/mcp-servers/own/server.json`)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('cannot describe') } },
    });
  });

  it('stores what a server may request of the agent: nothing by default, and each change is recorded', async () => {
    const { workspace, admin, base } = await api.workspace();
    const put = (more: object) =>
      admin.ok('PUT', `${base}/mcp-servers/asks`, { name: 'asks', ...command(more) });
    const asks = await admin.ok('POST', `${base}/mcp-servers`, { name: 'asks', ...command() });
    expect(asks).toMatchObject({ mcp_server: { client_features: [] } });
    const allowed = { client_features: ['sampling', 'roots'] };
    expect(await put(allowed)).toMatchObject({ mcp_server: { version: 2, ...allowed } });
    expect(await admin.ok('GET', `${base}/mcp-servers/asks`)).toMatchObject({ mcp_server: allowed });
    expect(await put({})).toMatchObject({ mcp_server: { version: 3, client_features: [] } });
    const [, ...updates] = await auditOf(workspace.id).whereLike('event', 'workspace.mcp.%');
    expect(updates.map(({ data }) => data)).toEqual([
      { changed: ['client_features'], version: 2 },
      { changed: ['client_features'], version: 3 },
    ]);
  });

  it.each([
    ['the reserved name', { name: 'platform', ...command() }, 'name'],
    ['a name with capitals', { name: 'Files', ...command() }, 'name'],
    ['an unknown shape', { name: 'x', shape: { type: 'pipe' } }, 'shape.type'],
    [
      'a shape with the fields of another',
      { name: 'x', shape: { type: 'image', command: 'c' } },
      'shape.command',
    ],
    [
      'a remote server on this machine',
      { name: 'x', shape: { type: 'remote', url: 'https://127.0.0.1/mcp' } },
      'shape.url',
    ],
    [
      'a remote server without TLS',
      { name: 'x', shape: { type: 'remote', url: 'http://mcp.test/' } },
      'shape.url',
    ],
    ['a remote server without a network', { name: 'x', ...remote(), network: 'none' }, 'network'],
    [
      'a remote server with private destinations',
      { name: 'x', ...remote(), egress_allow: ['db.internal:5432'] },
      'egress_allow',
    ],
    [
      'a header whose variable the manifest lacks',
      { name: 'x', ...remote({ headers: [{ name: 'X-Api-Key', variable: 'KEY' }] }) },
      'shape.headers.0.variable',
    ],
    ...['Host', 'mcp-session-id', 'Content-Type', 'Last-Event-ID', 'Proxy-Authorization', 'X Key', ''].map(
      (name): [string, object, string] => [
        `the header ${name}`,
        { name: 'x', ...remote({ headers: [{ name, variable: 'KEY' }] }) },
        'shape.headers.0.name',
      ],
    ),
    [
      'a header twice',
      { name: 'x', ...remote({ headers: ['X-Key', 'x-key'].map((name) => ({ name, variable: 'KEY' })) }) },
      'shape.headers',
    ],
    [
      'a static key and a client at once',
      {
        name: 'x',
        ...remote({ headers: [{ name: 'X-Key', variable: 'KEY' }], client: { client_id: 'c' } }),
        manifest: { env: { KEY: { kind: 'secret', label: 'Key' } } },
      },
      'shape.client',
    ],
    [
      'a client with a secret that is not set',
      { name: 'x', ...remote({ client: { client_id: 'c', client_secret: '${NONE}' } }) },
      'shape.client.client_secret',
    ],
    [
      'an unusable scope',
      { name: 'x', ...command({ manifest: { tool_scopes: { t: 'Write' } } }) },
      'manifest.tool_scopes.t',
    ],
    [
      'a feature that the protocol does not have',
      { name: 'x', ...command({ client_features: ['tools'] }) },
      'client_features.0',
    ],
    [
      'a feature twice',
      { name: 'x', ...command({ client_features: ['roots', 'roots'] }) },
      'client_features',
    ],
    [
      'an env field of a wrong kind',
      { name: 'x', ...command({ manifest: { env: { A: { kind: 'x', label: 'a' } } } }) },
      'manifest.env.A.kind',
    ],
    [
      'a constraint on a secret',
      { name: 'x', ...command({ manifest: { env: { A: { kind: 'secret', label: 'a', regex: 'x' } } } }) },
      'manifest.env.A.kind',
    ],
    [
      'a regex that does not compile',
      { name: 'x', ...command({ manifest: { env: { A: { kind: 'value', label: 'a', regex: '(?=a)' } } } }) },
      'manifest.env.A.regex',
    ],
    [
      'a default against its own constraint',
      {
        name: 'x',
        ...command({ manifest: { env: { A: { kind: 'value', label: 'a', enum: ['b'], default: 'c' } } } }),
      },
      'manifest.env.A.default',
    ],
    ['an unknown field', { name: 'x', ...command({ version: 3 }) }, 'version'],
  ])('refuses %s, naming the field', async (_what, body, path) => {
    const { admin, base } = await api.workspace();
    const answer = await admin.send('POST', `${base}/mcp-servers`, body);
    expect(answer.status).toBe(422);
    expect(fieldsOf(answer).map(([at]) => at)).toContain(path);
    expect(await admin.ok('GET', `${base}/mcp-servers`)).toMatchObject({ mcp_servers: [] });
  });

  it('keeps names unique in the workspace and constant for an entry', async () => {
    const [one, two] = [await api.workspace(), await api.workspace()];
    const body = { name: 'files', ...command() };
    await one.admin.ok('POST', `${one.base}/mcp-servers`, body);
    await two.admin.ok('POST', `${two.base}/mcp-servers`, body);
    expect(await one.admin.send('POST', `${one.base}/mcp-servers`, body)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    const renamed = await one.admin.send('PUT', `${one.base}/mcp-servers/files`, { ...body, name: 'docs' });
    expect(renamed).toMatchObject({ status: 422, body: { error: { fields: [{ path: 'name' }] } } });
    const absent = await one.admin.send('PUT', `${one.base}/mcp-servers/docs`, { ...body, name: 'docs' });
    expect(absent).toMatchObject({ status: 404 });
  });
});

describe('attachments', () => {
  const env = {
    TOKEN: { kind: 'secret', label: 'token', required: true },
    EXTRA: { kind: 'secret', label: 'optional token' },
    REGION: { kind: 'value', label: 'region', required: true, enum: ['eu', 'us'] },
    PROJECT: { kind: 'value', label: 'project', regex: '[a-z]+-[0-9]+' },
  };

  async function prepared() {
    const space = await api.workspace();
    const { admin, base } = space;
    await admin.ok('POST', `${base}/mcp-servers`, { name: 'tickets', ...command({ manifest: { env } }) });
    await admin.ok('PUT', `${base}/secrets/TICKETS_TOKEN`, { value: 'x' });
    const agentId = await agentOf(space.member, base);
    return { ...space, path: `/api/agents/${agentId}/mcp-attachments`, agentId };
  }
  async function agentOf(person: Person, base: string): Promise<string> {
    const body = { name: `agent of ${person.user.id}`, run: { type: 'builtin', name: 'scripted' } };
    return (await person.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body)).agent.id;
  }
  const sound = { TOKEN: '${TICKETS_TOKEN}', REGION: 'eu', PROJECT: 'core-1' };

  it('are saved by the owner of the agent, under both paths, and changed and removed with their events', async () => {
    const { workspace, member, path, agentId } = await prepared();
    const saved = await member.ok<{ attachment: object }>('PUT', `/agents/${agentId}/mcp-attachments`, {
      name: 'tickets',
      env: sound,
    });
    expect(saved.attachment).toMatchObject({ name: 'tickets', env: sound });
    await member.ok('PUT', path, { name: 'tickets', env: sound });
    await member.ok('PUT', path, { name: 'tickets', env: { ...sound, REGION: 'us', EXTRA: '' } });
    expect(await member.ok('GET', path)).toMatchObject({ attachments: [{ env: { REGION: 'us' } }] });
    expect(await member.ok('DELETE', `${path}/tickets`)).toEqual({ ok: true });
    expect(await member.send('DELETE', `${path}/tickets`)).toMatchObject({ status: 404 });
    const events = (await auditOf(workspace.id)).filter(({ event }) => event.startsWith('agent.mcp'));
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ['agent.mcp.attached', { name: 'tickets', fields: ['PROJECT', 'REGION', 'TOKEN'] }],
      ['agent.mcp.env_updated', { name: 'tickets', fields: ['EXTRA', 'REGION'] }],
      ['agent.mcp.detached', { name: 'tickets', fields: ['EXTRA', 'PROJECT', 'REGION', 'TOKEN'] }],
    ]);
  });

  it('are checked in a fixed order; the first failing step reports all its fields', async () => {
    const { member, path } = await prepared();
    const attempt = async (name: string, attempted: Record<string, string>) =>
      fieldsOf(await member.send('PUT', path, { name, env: attempted }));

    const allWrong = { TOKEN: 'x${A}', EXTRA: 'plain', REGION: 'mars', PROJECT: 'X', NEW: '1' };
    expect(await attempt('absent', allWrong)).toEqual([['name', 'unknown_mcp_server']]);
    expect(await attempt('tickets', allWrong)).toEqual([
      ['env.EXTRA', 'not_a_reference'],
      ['env.NEW', 'unknown_field'],
      ['env.TOKEN', 'not_a_reference'],
    ]);
    expect(await attempt('tickets', { TOKEN: '', REGION: 'mars' })).toEqual([['env.TOKEN', 'required']]);
    const unset = { TOKEN: '${ABSENT}', EXTRA: '${MISSING}', REGION: 'mars' };
    expect(await attempt('tickets', unset)).toEqual([
      ['env.EXTRA', 'secret_not_set'],
      ['env.TOKEN', 'secret_not_set'],
    ]);
    expect(
      await attempt('tickets', { TOKEN: '${TICKETS_TOKEN}', REGION: 'mars', PROJECT: 'core-1 ' }),
    ).toEqual([
      ['env.PROJECT', 'regex_mismatch'],
      ['env.REGION', 'not_in_enum'],
    ]);
    expect(await attempt('tickets', { TOKEN: '${TICKETS_TOKEN}' })).toEqual([['env.REGION', 'required']]);
    expect(await member.ok('GET', path)).toEqual({ attachments: [] });
  });

  it('refuse a secret that was cleared, and one that this server may not use', async () => {
    const { admin, member, base, path } = await prepared();
    await admin.ok('PATCH', `${base}/secrets/TICKETS_TOKEN`, { allowed_servers: ['other'] });
    const body = { name: 'tickets', env: sound };
    expect(fieldsOf(await member.send('PUT', path, body))).toEqual([['env.TOKEN', 'secret_not_allowed']]);
    await admin.ok('PATCH', `${base}/secrets/TICKETS_TOKEN`, { allowed_servers: ['tickets'] });
    await member.ok('PUT', path, body);
    await admin.ok('DELETE', `${base}/secrets/TICKETS_TOKEN`);
    expect(fieldsOf(await member.send('PUT', path, body))).toEqual([['env.TOKEN', 'secret_not_set']]);
  });

  it("do not see another workspace's catalog, secrets or agents", async () => {
    const [one, two] = [await prepared(), await api.workspace()];
    await two.admin.ok('POST', `${two.base}/mcp-servers`, { name: 'foreign', ...command() });
    expect(fieldsOf(await one.member.send('PUT', one.path, { name: 'foreign', env: {} }))).toEqual([
      ['name', 'unknown_mcp_server'],
    ]);
    await two.admin.ok('PUT', `${two.base}/secrets/FOREIGN`, { value: 'x' });
    const env = { ...sound, TOKEN: '${FOREIGN}' };
    expect(fieldsOf(await one.member.send('PUT', one.path, { name: 'tickets', env }))).toEqual([
      ['env.TOKEN', 'secret_not_set'],
    ]);
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? { name: 'tickets', env: sound } : undefined;
      expect(await two.admin.send(method, one.path, body)).toMatchObject({ status: 404 });
    }
  });

  it('are changed by admins and the owner only', async () => {
    const { workspace, admin, path } = await prepared();
    const other = await api.person('Other Member');
    await api.join(workspace, other, 'member');
    const body = { name: 'tickets', env: sound };
    expect(await other.send('PUT', path, body)).toMatchObject({ status: 403 });
    expect(await other.send('GET', path)).toMatchObject({ status: 200 });
    await admin.ok('PUT', path, body);
    expect(await other.send('DELETE', `${path}/tickets`)).toMatchObject({ status: 403 });
  });

  it('block the removal of their entry, which names the agents', async () => {
    const { admin, member, base, path, agentId } = await prepared();
    await member.ok('PUT', path, { name: 'tickets', env: sound });
    expect(await admin.send('DELETE', `${base}/mcp-servers/tickets`)).toMatchObject({
      status: 409,
      body: { error: { code: 'in_use', uses: [{ type: 'agent', id: agentId }] } },
    });
    await member.ok('DELETE', `${path}/tickets`);
    await admin.ok('DELETE', `${base}/mcp-servers/tickets`);
  });

  it('are limited per agent, also when saved concurrently', async () => {
    const { admin, member, base, path } = await prepared();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) {
      await admin.ok('POST', `${base}/mcp-servers`, { name, ...command() });
    }
    const saves = await Promise.all(names.map((name) => member.send('PUT', path, { name, env: {} })));
    expect(saves.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422, 422]);
    const { attachments } = await member.ok<{ attachments: { name: string }[] }>('GET', path);
    expect(attachments).toHaveLength(3);
    await member.ok('PUT', path, { name: attachments[0]?.name, env: {} });
  });
});
