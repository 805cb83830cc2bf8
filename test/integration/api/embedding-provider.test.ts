/**
 * The setting of a workspace's embedding provider: who may change it, what is refused,
 * and what is recorded of it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { answerJson, startTestProvider } from '../../support/embedding-provider.ts';

let api: TestApi;
let admin: Person;
let member: Person;
let base: string;
let workspaceId: string;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  const opened = await api.workspace();
  ({ admin, member, base } = opened);
  workspaceId = opened.workspace.id;
  await admin.ok('PUT', `${base}/secrets/MODEL_KEY`, { value: 'sk-not-told' });
});
afterAll(() => api.stop());

const provider = {
  base_url: 'https://models.example.com/v1',
  model: 'text-embedding-3-small',
  dimensions: 512,
  api_key: '${MODEL_KEY}',
};
const path = () => `${base}/embedding-provider`;
const set = (body: unknown, by = admin) => by.send('PUT', path(), body);
const eventsOf = () =>
  api
    .db('audit_events')
    .where({ workspace_id: workspaceId })
    .where('event', 'like', 'workspace.embedding_provider.%')
    .orderBy('at')
    .select('event', 'data');

describe('the embedding provider', () => {
  it('is none at first, is set and removed by admins, and is shown to members', async () => {
    expect(await member.ok('GET', path())).toEqual({ embedding_provider: null });
    const stored = { ...provider, updated_at: expect.any(String), updated_by: admin.user.id };
    expect(await set(provider)).toMatchObject({ status: 200, body: { embedding_provider: stored } });
    expect(await member.ok('GET', path())).toEqual({ embedding_provider: stored });
    expect(await admin.send('DELETE', path())).toMatchObject({
      status: 200,
      body: { embedding_provider: null },
    });
    expect(await member.ok('GET', path())).toEqual({ embedding_provider: null });
    await admin.ok('PATCH', `${base}/secrets/MODEL_KEY`, { allowed_servers: [] });
    expect(await set(provider)).toMatchObject({ status: 200 });
  });

  it('is audited when it changes, with the name of its secret and never the key', async () => {
    await set(provider);
    await set(provider);
    await set({ ...provider, dimensions: null });
    await admin.ok('DELETE', path());
    await admin.ok('DELETE', path());
    const events = await eventsOf();
    expect(events).toMatchObject([
      { event: 'workspace.embedding_provider.set', data: provider },
      { event: 'workspace.embedding_provider.set', data: { ...provider, dimensions: null } },
      { event: 'workspace.embedding_provider.removed' },
    ]);
    expect(JSON.stringify(events) + api.logged()).not.toContain('sk-not-told');
  });

  it('is one of the uses of its secret', async () => {
    await set(provider);
    expect(await member.ok('GET', `${base}/secrets/MODEL_KEY/uses`)).toMatchObject({
      uses: [{ kind: 'embedding_provider', agent: null, name: null, variable: null }],
    });
    expect(await member.ok('GET', `${base}/secrets?include_uses=true`)).toMatchObject({
      secrets: [{ name: 'MODEL_KEY', used_by: { agents: 0, mcp_servers: 0, embedding_providers: 1 } }],
    });
    await admin.ok('DELETE', path());
    expect(await member.ok('GET', `${base}/secrets/MODEL_KEY/uses`)).toMatchObject({ uses: [] });
  });

  it('takes a secret that no MCP server may be given, and none that is for certain ones', async () => {
    await admin.ok('PATCH', `${base}/secrets/MODEL_KEY`, { allowed_servers: ['files'] });
    expect(await set(provider)).toMatchObject({
      status: 422,
      body: {
        error: {
          fields: [
            {
              ...{ path: 'api_key', code: 'secret_not_allowed' },
              message: 'needs secret MODEL_KEY, which only MCP servers may be given',
            },
          ],
        },
      },
    });
    expect(await member.ok('GET', path())).toEqual({ embedding_provider: null });
    await admin.ok('PATCH', `${base}/secrets/MODEL_KEY`, { allowed_servers: [] });
    expect(await set(provider)).toMatchObject({ status: 200 });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a key in place of a reference', { api_key: 'sk-123' }, 'api_key'],
    ['text around the reference', { api_key: 'Bearer ${MODEL_KEY}' }, 'api_key'],
    ['a secret that does not exist', { api_key: '${GONE}' }, 'api_key'],
    ['plain http', { base_url: 'http://models.example.com/v1' }, 'base_url'],
    ['a private address', { base_url: 'https://10.1.2.3/v1' }, 'base_url'],
    ['a metadata service', { base_url: 'https://169.254.169.254/v1' }, 'base_url'],
    ['a key in the address', { base_url: 'https://models.example.com/v1?key=sk-123' }, 'base_url'],
    ['a password in the address', { base_url: 'https://a:b@models.example.com/v1' }, 'base_url'],
    ['no model', { model: '' }, 'model'],
    ['a model of two lines', { model: 'a\nb' }, 'model'],
    ['0 dimensions', { dimensions: 0 }, 'dimensions'],
    ['4,097 dimensions', { dimensions: 4097 }, 'dimensions'],
    ['half a dimension', { dimensions: 1.5 }, 'dimensions'],
  ])('is not saved with %s', async (_what, wrong, field) => {
    expect(await set({ ...provider, ...wrong })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: field }] } },
    });
    expect(await eventsOf()).toEqual([]);
  });

  it('is checked by admins with one word, and says what to do when that fails', async () => {
    const server = await startTestProvider();
    const other = await startTestApi({ PRIVATE_EMBEDDING_HOSTS: `http://${server.host}` });
    try {
      const opened = await other.workspace();
      const check = (by: Person) => by.send('POST', `${opened.base}/embedding-provider/check`);
      expect(await check(opened.admin)).toMatchObject({ status: 404 });
      await opened.admin.ok('PUT', `${opened.base}/secrets/MODEL_KEY`, { value: 'sk-not-told' });
      const local = { ...provider, base_url: `http://${server.host}/v1`, dimensions: null };
      await opened.admin.ok('PUT', `${opened.base}/embedding-provider`, local);
      expect(await check(opened.member)).toMatchObject({ status: 403 });
      const works = { check: { outcome: 'works', dimensions: 3 } };
      expect(await check(opened.admin)).toMatchObject({ status: 200, body: works });
      expect(server.received).toMatchObject([
        { url: '/v1/embeddings', headers: { authorization: 'Bearer sk-not-told' } },
      ]);
      server.behave((_request, response) => answerJson(response, { error: 'sk-not-told is no key' }, 401));
      const failed = await check(opened.admin);
      expect(failed).toMatchObject({
        status: 200,
        body: { check: { outcome: 'failed', reason: expect.stringContaining('an admin') } },
      });
      expect(failed.text + other.logged()).not.toContain('sk-not-told');
    } finally {
      await other.stop();
      await server.close();
    }
  });

  it('may have a private address that the operator listed', async () => {
    const other = await startTestApi({ PRIVATE_EMBEDDING_HOSTS: 'http://10.1.2.3:11434' });
    try {
      const opened = await other.workspace();
      const local = { ...provider, base_url: 'http://10.1.2.3:11434/v1', api_key: null };
      await opened.admin.ok('PUT', `${opened.base}/embedding-provider`, local);
    } finally {
      await other.stop();
    }
  });
});
