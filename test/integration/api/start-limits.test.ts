/** The limit of a catalog entry for the start of its server. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { McpServer } from '../../../contract/catalog.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

it('keeps the limit for the start of a server, from one second to an hour', async () => {
  const { workspace, admin, base } = await api.workspace();
  const body = (start_seconds?: unknown) => ({
    name: 'slow',
    shape: { type: 'command', command: 'server' },
    start_seconds,
  });
  const kept = async () =>
    (await admin.ok<{ mcp_server: McpServer }>('GET', `${base}/mcp-servers/slow`)).mcp_server.start_seconds;
  await admin.ok('POST', `${base}/mcp-servers`, body());
  expect(await kept()).toBeNull();
  for (const limit of [1, 3600, null]) {
    await admin.ok('PUT', `${base}/mcp-servers/slow`, body(limit));
    expect(await kept()).toBe(limit);
  }
  for (const wrong of [0, -1, 3601, 1.5, '60']) {
    const refused = await admin.send('PUT', `${base}/mcp-servers/slow`, body(wrong));
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ error: { fields: [{ path: 'start_seconds' }] } });
  }
  const changes = await api
    .db('audit_events')
    .where({ workspace_id: workspace.id, event: 'workspace.mcp.updated' })
    .select('data');
  expect(JSON.stringify(changes.at(0)?.data)).toContain('start_seconds');
});
