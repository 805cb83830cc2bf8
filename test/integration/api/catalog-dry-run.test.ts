/** What registering an entry would say, without registering it. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ LIMIT_MCP_SERVERS_PER_WORKSPACE: '2' });
});
afterAll(() => api.stop());

const files = { name: 'files', shape: { type: 'command', command: 'server' } };
const remote = (url: string) => ({ name: 'remote', shape: { type: 'remote', url } });
const withoutRequest = (body: unknown) => {
  const { request_id: _, ...error } = (body as { error: { request_id?: string } }).error;
  return error;
};

it('says in a dry run what registering would say, and keeps nothing of it', async () => {
  const { workspace, admin, member, base } = await api.workspace();
  const dryRun = (body: object, who = admin) => who.send('POST', `${base}/mcp-servers/dry-run`, body);
  const auditTrail = () =>
    api
      .db('audit_events')
      .where({ workspace_id: workspace.id })
      .orderBy('position')
      .select('position', 'event');
  const before = await auditTrail();
  expect(await dryRun(files)).toMatchObject({ status: 200, body: { ok: true } });
  expect(await dryRun(remote('https://mcp.test/'))).toMatchObject({ status: 200 });
  expect(await admin.ok('GET', `${base}/mcp-servers`)).toMatchObject({ mcp_servers: [] });
  expect(await api.db('mcp_registrations').where({ workspace_id: workspace.id })).toEqual([]);
  expect(await auditTrail()).toEqual(before);
  expect(await dryRun(files, member)).toMatchObject({ status: 403 });
  await admin.ok('POST', `${base}/mcp-servers`, files);
  for (const refused of [remote('http://mcp.test/'), remote('https://10.1.2.3/mcp'), files]) {
    const saved = await admin.send('POST', `${base}/mcp-servers`, refused);
    const { status, body } = await dryRun(refused);
    expect([409, 422]).toContain(status);
    expect({ status, error: withoutRequest(body) }).toEqual({
      status: saved.status,
      error: withoutRequest(saved.body),
    });
  }
  await admin.ok('POST', `${base}/mcp-servers`, { ...files, name: 'more' });
  expect(await dryRun({ ...files, name: 'third' })).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('2') } },
  });
});
