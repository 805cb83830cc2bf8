/** The demo workspace, by the real API over Postgres and Temporal: what a second start repeats, and where the remote server cannot be. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as z from 'zod';
import type { ApiClient } from '../../../bin/start/api-client.ts';
import { signInDemoPeople } from '../../../bin/start/demo-sign-in.ts';
import { fillDemoWorkspace } from '../../../bin/start/seed-demo.ts';
import { addDemoRemote } from '../../../bin/start/seed-demo-remote.ts';
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
  await addDemoRemote(ada, url, (line) => lines.push(line));
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

it('is left out where sessions have no sandbox, and the start only says so', async () => {
  const id = randomUUID();
  const limits = { missing_commands: [], limits: [], commands: null };
  await reportWorker(api.db, {
    id,
    capabilities: { runtime: 'process', sandbox: false, internet: false, ...limits },
  });
  expect(await add()).toEqual([
    expect.stringMatching(/^The demo has no remote server: .*remote MCP servers need a sandbox/),
  ]);
  expect(await agentNamed('ticket-clerk')).toEqual([]);
  await forgetWorker(api.db, id);
});

it('is an entry with an agent, added once, and the registration is waited for by nobody', async () => {
  expect(await add()).toEqual([]);
  const entry = z.object({ mcp_server: z.looseObject({ registration: z.looseObject({}) }) });
  const path = '/workspaces/demo/mcp-servers/tickets';
  expect(entry.parse(await ada.send('GET', path)).mcp_server).toMatchObject({
    shape: { type: 'remote', url },
    manifest: { tool_scopes: { create_ticket: 'tickets.create' } },
    registration: { status: 'pending' },
  });
  const [clerk] = await agentNamed('ticket-clerk');
  expect(clerk).toMatchObject({ kind: 'worker' });
  expect(await ada.send('GET', `/agents/${clerk?.id}/mcp-attachments`)).toMatchObject({
    attachments: [{ name: 'tickets' }],
  });
  expect(await add()).toEqual([]);
  expect(await agentNamed('ticket-clerk')).toEqual([clerk]);
});
