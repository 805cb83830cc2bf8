/**
 * Names of tools at the limit: the catalog, the list of definitions, grants, checks and the audit
 * trail take the same ones.
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Grant } from '../../../contract/grant.ts';
import type { ToolCall } from '../../../contract/tool-call.ts';
import { useSessionApi } from '../../support/use-session-api.ts';
import { listOf, sessionWith, tool } from './reported-lists.ts';

const api = useSessionApi();

const named = (characters: number) => `${characters}-`.padEnd(characters, 'x');
const usable = [128, 129, 256].map(named);
const fields = (path: unknown) => ({ status: 422, body: { error: { fields: [{ path }] } } });

it('are the same for whoever names a tool', async () => {
  const { admin, member, base } = await api.workspace();
  const entry = (scoped: string[], listed: string[]) => ({
    name: 'files',
    shape: { type: 'command', command: 'server' },
    manifest: { tool_scopes: Object.fromEntries(scoped.map((name) => [name, 'long.use'])) },
    unlisted_tools: 'refuse',
    listed_tools: listed,
  });
  const register = (scoped: string[], listed: string[]) =>
    admin.send('POST', `${base}/mcp-servers`, entry(scoped, listed));
  expect(await register([named(257)], [])).toMatchObject(fields(expect.stringContaining('tool_scopes')));
  expect(await register([], [named(257)])).toMatchObject(fields('listed_tools.0'));
  expect(
    await register(
      usable,
      usable.map((name) => name.toUpperCase()),
    ),
  ).toMatchObject({ status: 201 });

  const tool_scopes = Object.fromEntries(usable.map((name) => [name, 'long.use']));
  const session = await sessionWith(api, { person: member, base }, { tool_scopes });
  const send = (path: string, body: object) => api.asSidecar(session.id, 'POST', path, body);
  expect(await send('tool-lists', listOf(usable.map((name) => tool(name))))).toMatchObject({ status: 200 });
  expect(await send('tool-lists', listOf([tool(named(257))]))).toMatchObject(fields('tools.0.name'));

  const check = async (name: string) =>
    (await send('tool-calls/check', { call_id: randomUUID(), server: 'files', tool: name })).body;
  const needsGrant = { decision: 'refused', code: 'permission_required', scope: 'long.use' };
  for (const name of usable) {
    expect(await check(name)).toMatchObject(needsGrant);
  }
  const { agent } = await admin.ok<{ agent: Agent }>('GET', `/api/agents/${session.agent_id}`);
  await admin.ok<{ grant: Grant }>('POST', `${base}/grants`, {
    agent_subject_id: agent.id,
    grant_type: 'tool_scope',
    details: { scope: 'long.use' },
    scope: 'persistent',
  });
  for (const name of usable) {
    expect(await check(name)).toMatchObject({ decision: 'allowed' });
  }

  const record = (name: string) => ({
    ...{ call_id: randomUUID(), server: 'files', tool: name, started_at: '2026-01-01T00:00:00.000Z' },
    ...{ duration_ms: 1, outcome: 'ok' },
  });
  expect(await send('tool-calls', { calls: usable.map(record) })).toMatchObject({ status: 200 });
  expect(await send('tool-calls', { calls: [record(named(257))] })).toMatchObject(fields('calls.0.tool'));
  const { tool_calls: calls } = await member.ok<{ tool_calls: ToolCall[] }>(
    'GET',
    `/api/sessions/${session.id}/tool-calls`,
  );
  expect(new Set(calls.map(({ tool: called }) => called))).toEqual(new Set(usable));
});
