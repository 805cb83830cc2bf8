/** A session keeps the configuration that it started with, whatever is changed meanwhile. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Grant } from '../../contract/grant.ts';
import { type DemoWorkspace, openDemoWorkspace } from '../support/demo-workspace.ts';
import { untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';

const secret = 'the-value-from-the-start';
const entry = {
  name: 'probe',
  shape: { type: 'command', command: 'mcp-server-everything', args: [] },
  manifest: {
    env: {
      PROBE_TOKEN: { kind: 'secret', label: 'Token' },
      PROBE_DETAIL: { kind: 'value', label: 'Detail' },
    },
    // It answers with its whole environment.
    tool_scopes: { 'get-env': 'probe.environment' },
  },
  network: 'none',
};
const getEnvironment = (expected: string) => ({ call: 'probe.get-env', arguments: {}, expect: expected });
const waitFor = (text: string) => ({ wait_for_message: { contains: text, timeout_seconds: 200 } });
const steps = [
  getEnvironment('permission_required'),
  waitFor('Everything is changed'),
  getEnvironment('permission_required'),
  waitFor('It is granted'),
  getEnvironment('ok'),
  { call: 'probe.echo', arguments: { message: 'still here' } },
];

let demo: DemoWorkspace;
let ada: FrontDoor;
let workspace: string;

beforeAll(async () => {
  demo = await openDemoWorkspace();
  ada = await demo.signIn('ada');
  ({ workspace } = ada);
});
afterAll(() => demo?.close());

const tell = (sessionId: string, text: string) =>
  ada.ok('POST', `/api/sessions/${sessionId}/messages`, { text });
const callsOf = async (sessionId: string) =>
  (await ada.toolCalls(sessionId)).filter(({ data }) => data['name'] === 'probe');
const untilCalled = (sessionId: string, times: number) =>
  untilFound(`call ${times} of session ${sessionId}`, async () =>
    (await callsOf(sessionId)).length >= times ? true : null,
  );

/** Edits, clears, detaches and removes everything that the session was configured with. */
async function changeEverything(agentId: string): Promise<void> {
  const attachment = { name: 'probe', env: { PROBE_DETAIL: 'changed' } };
  await ada.ok('PUT', `/api/agents/${agentId}/mcp-attachments`, attachment);
  await ada.ok('PUT', `${workspace}/secrets/PROBE_SECRET`, { value: 'another-value' });
  await ada.ok('DELETE', `${workspace}/secrets/PROBE_SECRET`);
  await ada.ok('PUT', `${workspace}/mcp-servers/probe`, {
    ...entry,
    shape: { type: 'command', command: 'mcp-server-filesystem', args: ['.'] },
    manifest: { ...entry.manifest, tool_scopes: {} },
  });
  await ada.ok('DELETE', `/api/agents/${agentId}/mcp-attachments/probe`);
  await ada.ok('DELETE', `${workspace}/mcp-servers/probe`);
  await ada.ok('PATCH', `/api/agents/${agentId}`, {
    name: 'renamed',
    instructions: '{"steps":[]}',
    env: { ADDED: 'later' },
    limits: { total_seconds: 60 },
  });
  await ada.ok('PATCH', workspace, { settings: { log_tool_payloads: false } });
}

it('keeps running and calling while its configuration is detached, cleared, edited and removed', async () => {
  await ada.ok('PATCH', workspace, { settings: { log_tool_payloads: true } });
  await ada.ok('PUT', `${workspace}/secrets/PROBE_SECRET`, { value: secret });
  await ada.ok('POST', `${workspace}/mcp-servers`, entry);
  const env = { PROBE_TOKEN: '${PROBE_SECRET}', PROBE_DETAIL: 'from the start' };
  const agent = await ada.createAgent('frozen', steps, { probe: env });
  const { id } = await ada.startSession(agent.id);
  await untilCalled(id, 1);
  const configuration = await ada.ok('GET', `/api/sessions/${id}/configuration`);

  await changeEverything(agent.id);
  expect(await ada.ok('GET', `/api/sessions/${id}/configuration`)).toEqual(configuration);
  await tell(id, 'Everything is changed');
  await untilCalled(id, 2);
  const { grant } = await ada.ok<{ grant: Grant }>('POST', `${workspace}/grants`, {
    agent_subject_id: agent.id,
    grant_type: 'tool_scope',
    details: { scope: 'probe.environment' },
    scope: 'session',
    session_id: id,
  });
  await tell(id, 'It is granted');

  expect(await ada.ended(id)).toMatchObject({ status: 'completed' });
  const calls = await callsOf(id);
  expect(calls.map(({ data }) => [data['tool'], data['outcome'], data['granted_via']])).toEqual([
    ['get-env', 'permission_required', null],
    ['get-env', 'permission_required', null],
    ['get-env', 'ok', grant.id],
    ['echo', 'ok', null],
  ]);
  const seen = JSON.stringify(calls[2]?.data['result']);
  expect(seen).toContain(secret);
  expect(seen).toContain('from the start');
  expect(await ada.ok('GET', `/api/sessions/${id}/configuration`)).toEqual(configuration);

  // The next one starts with the current configuration.
  const next = await ada.startSession(agent.id);
  await ada.ended(next.id);
  expect(await ada.ok('GET', `/api/sessions/${next.id}/configuration`)).toMatchObject({
    configuration: { servers: [], agent: { name: 'renamed', limits: { total_seconds: 60 } } },
  });
});
