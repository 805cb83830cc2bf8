/**
 * Calls that wait for their server, and answers that did not reach the agent: what a
 * session's readers see of both.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { answerFault } from '../../../contract/answer-fault.ts';
import { maxToolNameCharacters } from '../../../contract/names.ts';
import { maxListedOpenCalls, type OpenCallReport } from '../../../contract/open-calls.ts';
import type { Session } from '../../../contract/session.ts';
import type { ProcessReport, SessionProcess } from '../../../contract/session-process.ts';
import type { CallRecord, ToolCall } from '../../../contract/tool-call.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let workspace: Workspace;
let member: Person;
let base: string;
let session: Session;
beforeEach(async () => {
  ({ workspace, member, base } = await api.workspace());
  ({ session } = await api.runningSession(member, base));
});

const run = randomUUID();
const startedAt = '2026-01-01T00:00:00.000Z';
const openCall = (tool = 'read') => ({
  call_id: randomUUID(),
  server: 'files',
  tool,
  started_at: startedAt,
  progressed_at: null,
});
const tell = (report: Partial<OpenCallReport>) =>
  api.asSidecar(session.id, 'POST', 'tool-calls/open', {
    ...{ sidecar_run: run, revision: 1, calls: [], count: report.calls?.length ?? 0 },
    ...report,
  });
const openPath = () => `/api/sessions/${session.id}/tool-calls/open`;
const listed = (person = member) => person.ok('GET', openPath());
const none = { open_calls: [], count: 0 };

describe('the open calls of a session', () => {
  it('are listed while they are open, and gone after', async () => {
    const [one, other] = [openCall(), openCall('write')];
    expect(await listed()).toEqual(none);
    expect(await tell({ calls: [one, other], count: 2 })).toMatchObject({ status: 200 });
    expect(await listed()).toEqual({ open_calls: [one, other], count: 2 });
    const worked = { ...other, progressed_at: '2026-01-01T00:01:00.000Z' };
    await tell({ revision: 2, calls: [worked] });
    expect(await listed()).toEqual({ open_calls: [worked], count: 1 });
    // A report that was overtaken changes nothing.
    await tell({ revision: 1, calls: [one] });
    expect(await listed()).toEqual({ open_calls: [worked], count: 1 });
    await tell({ revision: 3 });
    expect(await listed()).toEqual(none);
  });

  it('are those that a restarted sidecar tells, which counts from one', async () => {
    await tell({ revision: 7, calls: [openCall()] });
    await tell({ sidecar_run: randomUUID(), revision: 1 });
    expect(await listed()).toEqual(none);
  });

  it('are none once the session has ended', async () => {
    await tell({ calls: [openCall()] });
    await api
      .db('sessions')
      .where({ id: session.id })
      .update({ status: 'completed', ended_at: new Date().toISOString() });
    expect(await listed()).toEqual(none);
  });

  it('are visible to readers of the session, and to nobody else', async () => {
    await tell({ calls: [openCall()] });
    const stranger = await api.person();
    expect(await stranger.send('GET', openPath())).toMatchObject({ status: 404 });
    expect(await api.anonymous.send('GET', openPath())).toMatchObject({ status: 401 });
    await api.join(workspace, stranger, 'member');
    expect(await stranger.send('GET', openPath())).toMatchObject({ status: 403 });
    const elsewhere = await api.workspace();
    expect(await elsewhere.admin.send('GET', openPath())).toMatchObject({ status: 404 });
    const ownSession = (await api.runningSession(elsewhere.member, elsewhere.base)).session;
    expect(await elsewhere.member.ok('GET', `/api/sessions/${ownSession.id}/tool-calls/open`)).toEqual(none);
  });

  it('are told by the sidecar of their session alone', async () => {
    const path = `/internal/sessions/${session.id}/tool-calls/open`;
    const body = { sidecar_run: run, revision: 1, calls: [openCall()], count: 1 };
    expect(await member.send('POST', path, body)).toMatchObject({ status: 401 });
    const { session: other } = await api.runningSession(member, base);
    const authorization = { Authorization: `Bearer ${api.token(other.id)}` };
    expect(await api.anonymous.send('POST', path, body, authorization)).not.toMatchObject({ status: 200 });
    expect(await listed()).toEqual(none);
  });

  it('are refused with the field that is wrong', async () => {
    const tooMany = Array.from({ length: maxListedOpenCalls + 1 }, () => openCall());
    const longest = 'x'.repeat(maxToolNameCharacters);
    const wrong: [Partial<OpenCallReport>, string][] = [
      [{ calls: tooMany }, 'calls'],
      [{ calls: [openCall(`${longest}x`)] }, 'calls.0.tool'],
      [{ count: -1 }, 'count'],
      [{ revision: 0 }, 'revision'],
    ];
    for (const [report, path] of wrong) {
      expect(await tell(report)).toMatchObject({ status: 422, body: { error: { fields: [{ path }] } } });
    }
    expect(await tell({ calls: [openCall(longest)] })).toMatchObject({ status: 200 });
  });

  it('are told once a second at most', async () => {
    const statuses = new Set<number>();
    for (let revision = 1; revision <= 70; revision += 1) {
      statuses.add((await tell({ revision })).status);
    }
    expect([...statuses]).toEqual([200, 429]);
  });
});

describe('an answer that did not reach the agent', () => {
  const record = (changes: Partial<CallRecord> = {}): CallRecord => ({
    call_id: randomUUID(),
    server: 'files',
    tool: 'read',
    started_at: startedAt,
    duration_ms: 5,
    outcome: 'protocol_error',
    ...changes,
  });
  const report = (calls: unknown[]) => api.asSidecar(session.id, 'POST', 'tool-calls', { calls });
  const calls = async () =>
    (await member.ok<{ tool_calls: ToolCall[] }>('GET', `/api/sessions/${session.id}/tool-calls`)).tool_calls;
  const faulty = (changes: Partial<ProcessReport>) =>
    api.asSidecar(session.id, 'POST', 'processes', {
      ...{ kind: 'server', name: 'files', state: 'ready', exit_code: null, signal: null, cause: null },
      ...{ handshake_ms: 3, sidecar_run: run, revision: 1, starts: 1 },
      ...changes,
    });
  const events = async () =>
    (
      await member.ok<{ events: { type: string; payload: object }[] }>(
        'GET',
        `/api/sessions/${session.id}/events`,
      )
    ).events.flatMap(({ type, payload }) => (type === 'session.answer_refused' ? [payload] : []));

  beforeEach(async () => {
    const servers = JSON.stringify([serverNamed('files'), serverNamed('notes')]);
    await api
      .db('session_configurations')
      .where({ session_id: session.id })
      .update({ configuration: api.db.raw(`jsonb_set(configuration, '{servers}', ?::jsonb)`, [servers]) });
  });

  it('has its reason in the audit trail', async () => {
    await report([record({ reason: 'not_json' })]);
    await report([record({ outcome: 'ok' })]);
    expect((await calls()).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['ok', null],
      ['protocol_error', 'not_json'],
    ]);
    const reasons = answerFault.options.map((reason) => record({ reason }));
    expect(await report(reasons)).toMatchObject({ status: 200 });
    expect(new Set((await calls()).map(({ reason }) => reason))).toEqual(
      new Set([null, ...answerFault.options]),
    );
    expect(await report([{ ...record(), reason: 'words of the server' }])).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'calls.0.reason' }] } },
    });
  });

  it('is counted at its server, and is an event once for each reason, however often it happens', async () => {
    for (let revision = 1; revision <= 5; revision += 1) {
      const faults = [{ reason: 'not_json' as const, count: revision * 1000 }];
      await faulty({ revision, faults });
    }
    await faulty({ revision: 6, faults: [{ reason: 'bad_id', count: 1 }] });
    await faulty({ name: 'notes', faults: [{ reason: 'bad_id', count: 2 }] });
    expect(await events()).toEqual([
      { server: 'files', reason: 'not_json' },
      { server: 'files', reason: 'bad_id' },
      { server: 'notes', reason: 'bad_id' },
    ]);
    const { processes } = await member.ok<{ processes: SessionProcess[] }>(
      'GET',
      `/api/sessions/${session.id}/processes`,
    );
    expect(processes.map(({ name, faults }) => [name, faults])).toEqual([
      ['files', [{ reason: 'bad_id', count: 1 }]],
      ['notes', [{ reason: 'bad_id', count: 2 }]],
      ['agent', []],
    ]);
  });

  it('is none of a server that the session does not have, nor of its agent, nor for a reason of its own', async () => {
    const faults = [{ reason: 'bad_id' as const, count: 1 }];
    await faulty({ name: 'others', faults });
    await faulty({ kind: 'agent', name: 'agent', faults });
    expect(await faulty({ faults: [{ reason: 'words' as 'bad_id', count: 1 }] })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'faults.0.reason' }] } },
    });
    expect(await events()).toEqual([]);
  });
});
