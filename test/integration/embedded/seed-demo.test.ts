/**
 * The demo workspace, by the real API over Postgres and Temporal: what a second start repeats, and what is
 * left out where it cannot be.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as z from 'zod';
import type { ApiClient } from '../../../bin/start/api-client.ts';
import { fillDemoWorkspace } from '../../../bin/start/seed-demo.ts';
import { addDemoWriter } from '../../../bin/start/seed-demo-writer.ts';
import { addDemoRemote, signInDemoPeople } from '../../../bin/start/start-platform.ts';
import type { WorkerCapabilities } from '../../../contract/available-runs.ts';
import { forgetWorker, reportWorker } from '../../../store/workers/workers.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

/** Answers nothing, so that a registration goes on. */
const server = createServer();
let url: string;

let api: SessionApi;
let people: { ada: ApiClient; max: ApiClient };
let ada: ApiClient;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  url = `${origin}/mcp`;
  api = await startSessionApi({ RUNTIME: 'process', PRIVATE_MCP_HOSTS: origin });
  people = await signInDemoPeople(api.db, api.url);
  ada = people.ada;
  await fillDemoWorkspace(people);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api.stop();
});

async function add(): Promise<string[]> {
  const lines: string[] = [];
  const push = { url: `${new URL(url).origin}/push/mcp`, token: 'the-token-of-the-repository' };
  await addDemoRemote(ada, { url, push }, (line) => lines.push(line));
  return lines;
}

const named = z.array(z.looseObject({ id: z.string(), name: z.string() }));
async function agentNamed(name: string) {
  const { agents } = z
    .object({ agents: named })
    .parse(await ada.send('GET', '/workspaces/demo/agents?limit=200'));
  return agents.filter((each) => each.name === name);
}

it('comes with a schedule, made once', async () => {
  await fillDemoWorkspace(people);
  const { schedules } = z
    .object({ schedules: named })
    .parse(await ada.send('GET', '/workspaces/demo/schedules?limit=200'));
  expect(schedules).toMatchObject([{ name: 'Monthly report', time_zone: 'UTC' }]);
});

/** While `body` runs, this is the worker of the platform. */
async function withWorker(capabilities: Partial<WorkerCapabilities>, body: () => Promise<void>) {
  const id = randomUUID();
  const all: WorkerCapabilities = {
    runtime: 'process',
    sandbox: true,
    commands: null,
    missing_commands: [],
    internet: true,
    limits: [],
    claude: false,
    ...capabilities,
  };
  await reportWorker(api.db, { id, capabilities: all });
  await body();
  await forgetWorker(api.db, id);
}

it('has no remote server where sessions have no sandbox, and the start only says so', () =>
  withWorker({ sandbox: false, internet: false }, async () => {
    expect(await add()).toEqual([
      expect.stringMatching(/^The demo has no remote server: .*remote MCP servers need a sandbox/),
    ]);
    expect(await agentNamed('ticket-clerk')).toEqual([]);
  }));

it('has a remote server and an agent for it, added once, and the registration is waited for by nobody', async () => {
  expect(await add()).toEqual([]);
  const entry = z.object({ mcp_server: z.looseObject({ registration: z.looseObject({}) }) });
  const path = '/workspaces/demo/mcp-servers/tickets';
  expect(entry.parse(await ada.send('GET', path)).mcp_server).toMatchObject({
    shape: { type: 'remote', url },
    manifest: { tool_scopes: { create_ticket: 'tickets.create' } },
    // Given up after a while, which a slow machine sees.
    registration: { status: expect.stringMatching(/^(pending|failed)$/) },
  });
  const [clerk] = await agentNamed('ticket-clerk');
  expect(clerk).toMatchObject({ kind: 'worker' });
  expect(await ada.send('GET', `/agents/${clerk?.id}/mcp-attachments`)).toMatchObject({
    attachments: [{ name: 'tickets' }],
  });
  const [committer] = await agentNamed('committer');
  expect(await ada.send('GET', `/agents/${committer?.id}/mcp-attachments`)).toMatchObject({
    attachments: [{ name: 'repository' }],
  });
  // As after a start that ended before it had restricted the token.
  await ada.send('PATCH', '/workspaces/demo/secrets/DEMO_PUSH_TOKEN', { allowed_servers: null });
  expect(await add()).toEqual([]);
  expect(await secretNamed('DEMO_PUSH_TOKEN')).toMatchObject([{ allowed_servers: ['repository'] }]);
  expect(await agentNamed('ticket-clerk')).toEqual([clerk]);
  expect(await agentNamed('committer')).toEqual([committer]);
});

async function addWriter(key: string): Promise<string[]> {
  const lines: string[] = [];
  await addDemoWriter(ada, key, (line) => lines.push(line));
  return lines;
}
async function modelKeyGrants() {
  const path = '/workspaces/demo/grants?grant_type=model_key&include_revoked=true';
  const found = z.looseObject({ id: z.string(), details: z.unknown(), revoked_at: z.unknown() });
  return z.object({ grants: z.array(found) }).parse(await ada.send('GET', path)).grants;
}
async function secretNamed(wanted: string) {
  const { secrets } = z
    .object({ secrets: z.array(z.looseObject({ name: z.string() })) })
    .parse(await ada.send('GET', '/workspaces/demo/secrets?limit=200&include_uses=true'));
  return secrets.filter(({ name }) => name === wanted);
}

it('has no agent that asks a model where that cannot run, and the start says what to do', () =>
  withWorker({ claude: false }, async () => {
    expect(await addWriter('sk-first')).toEqual([
      expect.stringMatching(/^The demo has no agent that asks a model: .*run \\"npm run claude:install\\"/),
    ]);
    expect(await agentNamed('writer')).toEqual([]);
  }));

it('has an agent that asks a model, added once, with the right to use the key until an admin takes it', () =>
  withWorker({ claude: true }, async () => {
    expect(await addWriter('sk-first')).toEqual(['The demo has an agent that asks a model: writer']);
    const [writer] = await agentNamed('writer');
    const [grant] = await modelKeyGrants();
    expect(grant).toMatchObject({ details: { secret_name: 'MODEL_KEY' } });
    const stored = await secretNamed('MODEL_KEY');
    // No owner of an agent may give it to an MCP server, which could show it.
    expect(stored).toMatchObject([{ allowed_servers: [] }]);

    await addWriter('sk-second');
    expect(await agentNamed('writer')).toEqual([writer]);
    expect(await secretNamed('MODEL_KEY')).toEqual(stored);
    expect(await modelKeyGrants()).toEqual([grant]);

    await fetch(`${api.url}/api/workspaces/demo/grants/${grant?.id}`, {
      method: 'DELETE',
      headers: { cookie: ada.cookie },
    });
    await addWriter('sk-second');
    expect(await modelKeyGrants()).toMatchObject([{ id: grant?.id, revoked_at: expect.any(String) }]);
  }));
