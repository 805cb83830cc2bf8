/** The audit trail end to end: no call is missing or duplicated, whatever is killed meanwhile. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/asking-steps.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

/** Answers every call of any tool, except `stay`. */
const server = `
  process.stdin.on('data', (chunk) => {
    for (const line of String(chunk).split('\\n').filter(Boolean)) {
      const { id, method, params } = JSON.parse(line);
      const result = method === 'initialize'
        ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
        : { content: [] };
      if (id !== undefined && params?.name !== 'stay') {
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      }
    }
  });
`;
const steps = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { call: `any.t-${index}`, arguments: { index } },
    { sleep_seconds: 0.02 },
  ]).flat();

describe('the audit trail', () => {
  let platform: Platform;
  let ada: FrontDoor;

  beforeAll(async () => {
    platform = await startPlatform({ withoutDemoSession: true });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    await ada.ok('POST', '/api/workspaces/demo/mcp-servers', {
      name: 'any',
      shape: { type: 'command', command: 'node', args: ['-e', server] },
      network: 'none',
    });
  });
  afterAll(() => platform?.stop());

  const start = async (name: string, of: unknown[]) =>
    (await ada.startSession((await ada.createAgent(name, of, { any: {} })).id)).id;
  const running = (id: string) =>
    untilFound('a session that runs', async () =>
      (await ada.session(id)).status === 'running' ? true : null,
    );
  const recorded = async (id: string) =>
    (await ada.toolCalls(id)).map(({ data }) => [data['tool'], data['outcome']]);

  it('records every call once when the API is killed and the database crashes meanwhile', async () => {
    const count = 60;
    const id = await start('busy', steps(count));
    await running(id);
    await platform.kill('api', id);
    await sleep(300);
    await eventually(() => crashDatabase(platform));
    await platform.healthy();
    await platform.kill('api', id);
    await platform.healthy();
    const session = await untilFound('the end', () => ada.ended(id).catch(() => null));
    expect(session.status).toBe('completed');
    expect((await recorded(id)).sort()).toEqual(
      Array.from({ length: count }, (_, index) => [`t-${index}`, 'ok']).sort(),
    );
  });

  it('records every call once when the whole database server is killed', async () => {
    const count = 60;
    const id = await start('steady', steps(count));
    await running(id);
    process.kill(postmasterOf(platform), 'SIGKILL');
    const session = await untilFound('the end', () => ada.ended(id).catch(() => null));
    expect(session.status).toBe('completed');
    expect((await recorded(id)).sort()).toEqual(
      Array.from({ length: count }, (_, index) => [`t-${index}`, 'ok']).sort(),
    );
    expect(platform.output()).toContain('Postgres runs again');
  });

  it('records an open call as unknown when the session’s host and its sidecar are killed together', async () => {
    const id = await start('abandoned', [
      { call: 'any.before', arguments: {} },
      { call: 'any.stay', arguments: {} },
    ]);
    await running(id);
    const spool = join(platform.dataDirectory, 'sessions', id, 'audit/calls');
    await untilFound('a call that is open', async () =>
      existsSync(spool) && readFileSync(spool, 'utf8').includes('"stay"') ? true : null,
    );
    const host = JSON.parse(readFileSync(join(platform.dataDirectory, 'sessions', id, 'host.json'), 'utf8'));
    process.kill(host.pid, 'SIGSTOP');
    await platform.kill('sidecar', id);
    process.kill(host.pid, 'SIGKILL');
    expect(await ada.ended(id)).toMatchObject({ status: 'failed' });
    expect(await recorded(id)).toEqual([
      ['before', 'ok'],
      ['stay', 'unknown'],
    ]);
  });

  it('includes arguments and results if the workspace enables them, and its sessions show that', async () => {
    const settings = (log_tool_payloads: boolean) =>
      ada.ok('PATCH', '/api/workspaces/demo', { settings: { log_tool_payloads } });
    const notices = async (id: string) =>
      (await ada.events(id)).filter(({ type }) => type === 'platform.notice').map(({ payload }) => payload);
    const dataOf = async (id: string) => (await ada.toolCalls(id)).map(({ data }) => data)[0];
    const [on, off] = [true, false];
    await settings(on);
    const loud = await start('loud', [waitFor('begin'), ...steps(1)]);
    await running(loud);
    // A session keeps what it was started with.
    await settings(off);
    await ada.ok('POST', `/api/sessions/${loud}/messages`, { text: 'begin' });
    await ada.ended(loud);
    expect(await notices(loud)).toMatchObject([{ code: 'tool_payloads_logged' }]);
    expect(await dataOf(loud)).toMatchObject({
      arguments: { json: '{"index":0}', truncated: false },
      result: { json: '{"content":[]}', truncated: false },
    });

    const quiet = await start('quiet', steps(1));
    await ada.ended(quiet);
    expect(await notices(quiet)).toEqual([]);
    expect(Object.keys((await dataOf(quiet)) ?? {}).sort()).toEqual(
      ['duration_ms', 'granted_via', 'name', 'outcome', 'tool'].sort(),
    );
  });
});

/** `kill -9` of a database process: Postgres closes every connection and recovers from its log. */
function crashDatabase(platform: Platform): void {
  const postmaster = postmasterOf(platform);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  const backend = children.find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres: platform'),
  );
  if (backend === undefined) {
    throw new Error('the database serves nobody');
  }
  process.kill(Number(backend), 'SIGKILL');
}

function postmasterOf({ dataDirectory }: Platform): number {
  return Number.parseInt(readFileSync(join(dataDirectory, 'postgres/data/postmaster.pid'), 'utf8'), 10);
}
