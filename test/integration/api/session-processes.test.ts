import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../../contract/audit-event.ts';
import { maxOutputBytes } from '../../../contract/process-reports.ts';
import type { Session } from '../../../contract/session.ts';
import type { ProcessOutput, ProcessReport, SessionProcess } from '../../../contract/session-process.ts';
import { eraseOldOutputs, eraseOutputsOfOtherKeys } from '../../../store/session-processes/outputs.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let admin: Person;
let member: Person;
let base: string;
let session: Session;

beforeAll(async () => {
  api = await startSessionApi();
});
beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
  ({ session } = await api.runningSession(member, base));
  const servers = JSON.stringify([serverNamed('files'), serverNamed('notes')]);
  await api
    .db('session_configurations')
    .where({ session_id: session.id })
    .update({ configuration: api.db.raw(`jsonb_set(configuration, '{servers}', ?::jsonb)`, [servers]) });
});
afterAll(() => api.stop());

const text = 'Error: the token of the neighbour\u202e is wrong';
const path = () => `/api/sessions/${session.id}/processes`;
const outputPath = (name = 'files') => `${path()}/server/${name}/output`;
const run = randomUUID();
const reportOf = (changes: Partial<ProcessReport> = {}): ProcessReport => ({
  kind: 'server',
  name: 'files',
  state: 'failed',
  exit_code: 3,
  signal: null,
  cause: 'exited',
  handshake_ms: null,
  sidecar_run: run,
  revision: 1,
  starts: 1,
  output: { base64: Buffer.from(text).toString('base64'), written_bytes: 100_000 },
  ...changes,
});
const report = (changes: Partial<ProcessReport> = {}) =>
  api.asSidecar(session.id, 'POST', 'processes', reportOf(changes));
const list = async (person = member) =>
  (await person.ok<{ processes: SessionProcess[] }>('GET', path())).processes;
const events = async () =>
  (
    await member.ok<{ events: { type: string; payload: object }[] }>(
      'GET',
      `/api/sessions/${session.id}/events`,
    )
  ).events.filter(({ type }) => type === 'session.server_failed');
const readings = async () =>
  (await admin.ok<{ audit_events: AuditEvent[] }>('GET', `${base}/audit-events?event=session.output_read`))
    .audit_events;

describe('the processes of a session', () => {
  it('have ended with their session, although nobody reported that', async () => {
    await report({ state: 'starting', exit_code: null, cause: null });
    expect(await list()).toMatchObject([{ name: 'files', state: 'starting' }, { state: 'not_started' }, {}]);
    await member.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await eventually(async () =>
      expect(await list()).toMatchObject([{ name: 'files', state: 'ended' }, { state: 'not_started' }, {}]),
    );
  });

  it('are listed for its readers, also those without a report', async () => {
    expect(await report()).toMatchObject({ status: 200 });
    expect(await list()).toMatchObject([
      { name: 'files', state: 'failed', cause: 'exited', exit_code: 3, starts: 1, output_size_bytes: 45 },
      { name: 'notes', state: 'not_started', starts: 0, updated_at: null, output_size_bytes: null },
      { kind: 'agent', name: 'agent', state: 'not_started' },
    ]);
  });

  it('refuse a report about an unknown process, or an invalid one', async () => {
    await report({ name: 'others' });
    await report({ kind: 'agent', name: 'files' });
    expect(await api.db('session_processes').where({ session_id: session.id })).toEqual([]);
    expect(
      await api.asSidecar(session.id, 'POST', 'processes', { ...reportOf(), cause: 'my own words' }),
    ).toMatchObject({ status: 422 });
    const tooMuch = { base64: 'A'.repeat(100_000), written_bytes: 1 };
    expect(await report({ output: tooMuch })).toMatchObject({ status: 422 });
  });

  it('keep the newest report, and continue counting after a restart of the sidecar', async () => {
    await report({ revision: 2, starts: 2, state: 'ready', cause: null });
    await report({ revision: 1, starts: 1 });
    expect((await list())[0]).toMatchObject({ state: 'ready', starts: 2 });
    await report({ sidecar_run: randomUUID(), revision: 1, starts: 1, state: 'starting', cause: null });
    expect((await list())[0]).toMatchObject({ state: 'starting', starts: 3 });
  });

  it('keep their state after a restart of the sidecar, until it reports them', async () => {
    const runsOn = { kind: 'agent', name: 'agent', state: 'ready', cause: null, exit_code: null } as const;
    const restarted = { sidecar_run: randomUUID(), starts: 0, state: 'not_started', cause: null } as const;
    await report({ ...runsOn, starts: 2 });
    await report({ state: 'failed', exit_code: null, signal: 'SIGKILL', handshake_ms: 70 });
    await report({ name: 'notes', state: 'ready', cause: null, exit_code: null, handshake_ms: 80 });
    for (const revision of [1, 2]) {
      await report({ ...runsOn, ...restarted, revision });
      await report({ ...restarted, exit_code: null, revision });
      // It ended with its connection, and its end is reported to the new sidecar.
      await report({ name: 'notes', ...restarted, revision, exit_code: 3 });
    }
    const [files, notes, agent] = await list();
    expect(agent).toMatchObject({ state: 'ready', starts: 2 });
    expect(files).toMatchObject({ state: 'failed', cause: 'exited', signal: 'SIGKILL', handshake_ms: 70 });
    expect(notes).toMatchObject({ state: 'ended', exit_code: 3, signal: null, handshake_ms: 80, starts: 1 });
    await report({ ...runsOn, ...restarted, revision: 3, state: 'ended', exit_code: 4 });
    expect((await list())[2]).toMatchObject({ state: 'ended', exit_code: 4, starts: 2 });
  });

  it('are counted up to the largest number that can be stored', async () => {
    const tooMany = { starts: 3_000_000_000, revision: 3_000_000_000, handshake_ms: 3_000_000_000 };
    for (const [field, value] of Object.entries(tooMany)) {
      expect(await report({ [field]: value })).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: field }] } },
      });
    }
    for (let run = 0; run < 4; run += 1) {
      const counted = await report({ sidecar_run: randomUUID(), starts: 1_000_000_000 });
      expect(counted).toMatchObject({ status: 200 });
    }
    expect((await list())[0]).toMatchObject({ starts: 2_147_483_647 + 1_000_000_000 });
  });

  it('that failed cause one event per cause, without their output', async () => {
    await report();
    await report({ revision: 2 });
    await report({ revision: 3, cause: 'handshake_timeout', exit_code: null });
    expect((await events()).map(({ payload }) => payload)).toEqual([
      { server: 'files', cause: 'exited', exit_code: 3, signal: null },
      { server: 'files', cause: 'handshake_timeout', exit_code: null, signal: null },
    ]);
  });
});

describe('the output of a process', () => {
  it('is visible to admins, and each reading is in the audit trail', async () => {
    await report();
    expect(await member.send('GET', outputPath())).toMatchObject({ status: 403 });
    expect(await readings()).toEqual([]);
    expect(await admin.ok('GET', outputPath())).toMatchObject({
      output: { text, size_bytes: 45, written_bytes: 100_000 },
    });
    expect(await readings()).toMatchObject([
      {
        actor: { type: 'user', id: admin.user.id },
        resource: { type: 'session', id: session.id, name: 'files' },
        data: { kind: 'server', name: 'files' },
      },
    ]);
    expect(await admin.send('GET', outputPath('notes'))).toMatchObject({ status: 404 });
    expect(await admin.send('GET', `${path()}/other/files/output`)).toMatchObject({ status: 404 });
  });

  it('continues after a restart of the sidecar, up to the kept size', async () => {
    const wrote = (text: string, writtenBytes = text.length) => ({
      output: { base64: Buffer.from(text).toString('base64'), written_bytes: writtenBytes },
    });
    const read = async () => (await admin.ok<{ output: ProcessOutput }>('GET', outputPath())).output;
    await report(wrote('the first\n', 100_000));
    const second = { sidecar_run: randomUUID(), state: 'not_started', cause: null, starts: 0 } as const;
    await report({ ...second, output: undefined });
    await report({ ...second, revision: 2, ...wrote('the second') });
    await report({ ...second, revision: 3, ...wrote('the second, longer\n', 30) });
    const both = 'the first\nthe second, longer\n';
    expect(await read()).toMatchObject({ text: both, size_bytes: both.length, written_bytes: 100_030 });

    const third = { ...second, sidecar_run: randomUUID() };
    await report({ ...third, ...wrote('third\n') });
    expect(await read()).toMatchObject({ text: `${both}third\n`, written_bytes: 100_036 });
    const much = 'x'.repeat(maxOutputBytes - 8);
    await report({ ...third, revision: 2, ...wrote(much) });
    expect(await read()).toMatchObject({ text: ` longer\n${much}`, size_bytes: maxOutputBytes });
    await report({ ...third, revision: 3, ...wrote(`${much}y`) });
    expect(await read()).toMatchObject({ text: `longer\n${much}y` });
  });

  it('starts empty when the earlier output was erased, or its key was removed', async () => {
    const ofSession = api.db('session_processes').where({ session_id: session.id });
    await report();
    await ofSession.clone().update({ output_updated_at: api.db.raw("now() - interval '2 hours'") });
    await eraseOldOutputs(api.db, { keptSeconds: 3600 });
    await report({ sidecar_run: randomUUID() });
    expect(await admin.ok('GET', outputPath())).toMatchObject({ output: { text, written_bytes: 100_000 } });

    await ofSession.clone().update({ key_id: 'retired' });
    await report({ sidecar_run: randomUUID() });
    expect(await admin.ok('GET', outputPath())).toMatchObject({ output: { text, written_bytes: 200_000 } });
  });

  it('is in no event, audit event or log, and in the database only sealed for its own row', async () => {
    await report();
    await admin.ok('GET', outputPath());
    const rows = [
      ...(await api.db('session_events').where({ session_id: session.id })),
      ...(await api.db('audit_events').where({ session_id: session.id })),
    ];
    expect(JSON.stringify(rows)).not.toContain('token of the neighbour');
    expect(api.logged()).not.toContain('token of the neighbour');
    const row = await api.db('session_processes').where({ session_id: session.id }).first();
    expect(row?.sealed_output?.includes(Buffer.from('token of the'))).toBe(false);
    await report({ name: 'notes' });
    const { sealed_output = null, sealed_data_key = null } = row ?? {};
    await api
      .db('session_processes')
      .where({ session_id: session.id, name: 'notes' })
      .update({ sealed_output, sealed_data_key });
    expect(await admin.send('GET', outputPath('notes'))).toMatchObject({ status: 404 });
  });

  it('is erased after its retention, with the key that sealed it, and with the session', async () => {
    await report();
    expect(await eraseOldOutputs(api.db, { keptSeconds: 3600 })).toBe(0);
    await api
      .db('session_processes')
      .where({ session_id: session.id })
      .update({ output_updated_at: api.db.raw("now() - interval '2 hours'") });
    expect(await eraseOldOutputs(api.db, { keptSeconds: 3600 })).toBe(1);
    expect(await admin.send('GET', outputPath())).toMatchObject({ status: 404 });
    expect((await list())[0]).toMatchObject({ state: 'failed', output_size_bytes: null });

    await report({ revision: 2 });
    const [key] = api.config.MASTER_KEYS;
    const others = api.db('session_processes').whereNot({ session_id: session.id }).delete();
    await others;
    expect(await eraseOutputsOfOtherKeys(api.db, key?.id ?? '')).toBe(0);
    expect(await eraseOutputsOfOtherKeys(api.db, 'another')).toBe(1);

    await report({ revision: 3 });
    await api.db('sessions').where({ id: session.id }).delete();
    expect(await api.db('session_processes').where({ session_id: session.id })).toEqual([]);
  });
});
