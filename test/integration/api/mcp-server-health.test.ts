/** How catalog entries did, for three people: each counts the sessions that their list shows. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createSession } from '../../../commands/sessions/create.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { McpServer } from '../../../contract/catalog.ts';
import type { McpServerHealth } from '../../../contract/mcp-server-health.ts';
import type { FailureCause } from '../../../contract/session-process.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let base: string;
let admin: Person;
let operator: Person;
let agent: Agent;
let files: McpServer;
let idle: McpServer;

const healthOf = async (person: Person, { id: wanted }: McpServer): Promise<McpServerHealth | undefined> =>
  (
    await person.ok<{ mcp_server_health: McpServerHealth[] }>('GET', `${base}/mcp-server-health`)
  ).mcp_server_health.find(({ id }) => id === wanted);

/** A session in which `files` worked, or did not. */
async function ran(person: Person, cause: FailureCause | null = null, daysAgo = 0): Promise<string> {
  const of = { id: randomUUID(), workspaceId: workspace.id, agentId: agent.id, parentSessionId: null };
  const by = { operatorId: person.user.id, rootOperatorId: person.user.id };
  const { id } = await createSession(api.db, { ...of, ...by, prompt: 'Look' });
  await api
    .db('sessions')
    .where({ id })
    .update({ created_at: api.db.raw('created_at - make_interval(days => ?)', [daysAgo]) });
  await api.db('session_processes').insert({
    ...{ session_id: id, kind: 'server', name: 'files', sidecar_run: randomUUID(), revision: 1, starts: 1 },
    ...{ state: cause === null ? 'ready' : 'failed', cause },
  });
  return id;
}

beforeAll(async () => {
  api = await startSessionApi();
  ({ workspace, admin, member: operator, base } = await api.workspace());
  const register = async (name: string) => {
    const shape = { type: 'command', command: 'node', args: ['server.js'] };
    const body = { name, shape, manifest: { env: {}, tool_scopes: {} } };
    return (await admin.ok<{ mcp_server: McpServer }>('POST', `${base}/mcp-servers`, body)).mcp_server;
  };
  [files, idle] = [await register('files'), await register('idle')];
  await api
    .db('mcp_servers')
    .where({ id: files.id })
    .update({ created_at: new Date(Date.now() - 3 * 24 * 3600_000).toISOString() });
  ({ agent } = await operator.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    ...{ name: 'scribe', run: { type: 'builtin', name: 'scripted' }, instructions: '{"steps":[]}' },
  }));
});
afterAll(() => api.stop());

it('counts sessions in which a server did not work, of those that one may read', async () => {
  const other = await api.person('Olga Other');
  await api.join(workspace, other, 'member');
  await ran(operator);
  const failed = await ran(operator, 'packages_not_loaded');
  const last = await ran(admin, 'exited');
  // Of an entry that had the name before, and too long ago.
  await ran(operator, 'exited', 4);
  await api.db('mcp_servers').where({ id: idle.id }).update({ created_at: '2020-01-01T00:00:00Z' });
  const seen = await Promise.all(
    [admin, operator, other].map(async (person) => (await healthOf(person, files))?.sessions),
  );
  expect(seen).toEqual([
    { count: 3, failed: 2, last_failed: { session_id: last, cause: 'exited' } },
    { count: 2, failed: 1, last_failed: { session_id: failed, cause: 'packages_not_loaded' } },
    { count: 0, failed: 0, last_failed: null },
  ]);
  expect(await healthOf(admin, idle)).toEqual({
    ...{ id: idle.id, last_check: null, sessions: { count: 0, failed: 0, last_failed: null } },
  });
});

it('has the last check, for admins', async () => {
  const check = (created_at: string, more: object) =>
    api
      .db('mcp_checks')
      .insert({
        ...{ workspace_id: workspace.id, mcp_server_id: files.id, entry_version: 1, env: '{}' },
        ...{ started_by: admin.user.id, created_at, ended_at: created_at, ...more },
      })
      .returning('id');
  await check('2026-11-01T00:00:00Z', { status: 'completed', process: { handshake_ms: 5 } });
  const [newest] = await check('2026-11-02T00:00:00Z', {
    status: 'failed',
    reason: 'The server is not running',
  });
  expect((await healthOf(admin, files))?.last_check).toEqual({
    ...{ id: newest?.id, status: 'failed', entry_version: 1, reason: 'The server is not running' },
    ...{ created_at: '2026-11-02T00:00:00.000Z', handshake_ms: null },
  });
  expect((await healthOf(operator, files))?.last_check).toBeNull();
});

it('is of no other workspace', async () => {
  const { admin: stranger } = await api.workspace();
  expect((await stranger.send('GET', `${base}/mcp-server-health`)).status).toBe(404);
});
