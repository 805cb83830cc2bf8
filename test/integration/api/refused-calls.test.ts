/** What a session's readers see of calls that were refused beyond a limit, and admins of one call. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RefusedCallCount, RefusedCalls } from '../../../contract/tool-call.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let admin: Person;
let member: Person;
let base: string;
beforeAll(async () => {
  api = await startSessionApi();
  ({ workspace, admin, member, base } = await api.workspace());
});
afterAll(() => api.stop());

const count = (tool: string, minute: string, calls: number): RefusedCallCount => ({
  count_id: randomUUID(),
  server: 'files',
  tool,
  outcome: 'refused',
  minute: `2026-01-01T00:${minute}:00.000Z`,
  count: calls,
});
const path = (id: string) => `/api/sessions/${id}/tool-calls/refused`;
const listed = async (person: Person, id: string) =>
  (await person.ok<{ refused_calls: RefusedCalls[] }>('GET', path(id))).refused_calls;

describe('calls of a session that were refused beyond a limit', () => {
  it('are summed by server, tool and outcome, the latest first, without those of other sessions', async () => {
    const { session } = await api.runningSession(member, base);
    const { session: other } = await api.runningSession(member, base);
    const report = (id: string, counts: RefusedCallCount[]) =>
      api.asSidecar(id, 'POST', 'tool-calls/refused', { counts });
    expect(await listed(member, session.id)).toEqual([]);
    const noisy = [count('(other tools)', '01', 2_000_000_000), count('(other tools)', '03', 2_000_000_000)];
    const probe = count('write_file', '02', 1);
    expect(await report(session.id, [...noisy, probe])).toMatchObject({ status: 200 });
    // The same report again changes nothing.
    expect(await report(session.id, [probe])).toMatchObject({ status: 200 });
    expect(await report(other.id, [count('elsewhere', '09', 7)])).toMatchObject({ status: 200 });
    expect(await listed(admin, session.id)).toEqual([
      {
        server: 'files',
        tool: '(other tools)',
        outcome: 'refused',
        count: 4_000_000_000,
        first_minute: '2026-01-01T00:01:00.000Z',
        last_minute: '2026-01-01T00:03:00.000Z',
      },
      {
        server: 'files',
        tool: 'write_file',
        outcome: 'refused',
        count: 1,
        first_minute: '2026-01-01T00:02:00.000Z',
        last_minute: '2026-01-01T00:02:00.000Z',
      },
    ]);
    expect(await report(session.id, [count('x', '04', 3_000_000_000)])).toMatchObject({ status: 422 });
  });

  it('are visible to readers of the session, like its calls', async () => {
    const { session } = await api.runningSession(admin, base);
    const stranger = await api.person();
    for (const route of [path(session.id), `/api/sessions/${session.id}/tool-calls`]) {
      expect(await member.send('GET', route)).toMatchObject({ status: 403 });
      expect(await stranger.send('GET', route)).toMatchObject({ status: 404 });
      expect(await api.anonymous.send('GET', route)).toMatchObject({ status: 401 });
    }
    await api.join(workspace, stranger, 'admin');
    expect(await listed(stranger, session.id)).toEqual([]);
  });
});

describe('arguments and result of a call', () => {
  it('are read by admins alone, from its own session, where the workspace keeps them', async () => {
    const made = await api.workspace();
    await made.admin.ok('PATCH', made.base, { settings: { log_tool_payloads: true } });
    const { session } = await api.runningSession(made.member, made.base);
    const { session: other } = await api.runningSession(made.member, made.base);
    await eventually(async () => expect((await api.runtime.inspect(session.id)).state).toBe('running'));
    const call_id = randomUUID();
    const sent = { json: '{"path":"a"}', truncated: false };
    const record = {
      ...{ call_id, server: 'platform', tool: 'emit_status', started_at: new Date().toISOString() },
      ...{ duration_ms: 1, outcome: 'ok', arguments: sent },
    };
    expect(await api.asSidecar(session.id, 'POST', 'tool-calls', { calls: [record] })).toMatchObject({
      status: 200,
    });
    const of = (id: string, call = call_id) => `/api/sessions/${id}/tool-calls/${call}/payloads`;
    expect(await made.admin.ok('GET', of(session.id))).toEqual({ arguments: sent, result: null });
    expect(await made.member.send('GET', of(session.id))).toMatchObject({ status: 403 });
    expect(await made.admin.send('GET', of(other.id))).toMatchObject({ status: 404 });
    expect(await made.admin.send('GET', of(session.id, randomUUID()))).toMatchObject({ status: 404 });
    expect(await admin.send('GET', of(session.id))).toMatchObject({ status: 404 });
  });
});
