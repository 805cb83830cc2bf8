import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { stopOrphans } from '../../../activities/workloads/stop-orphans.ts';
import type { AuditEvent } from '../../../contract/audit-event.ts';
import type { McpCheck, ToolListing } from '../../../contract/mcp-check.ts';
import { eraseCheckTextsOfOtherKeys, removeOldChecks } from '../../../store/mcp-checks/checks.ts';
import type { Answer, Person } from '../../support/api.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi({ RATE_CHECKS_PER_MINUTE_PER_USER: '10' });
let admin: Person;
let member: Person;
let base: string;

beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
  await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: secret });
  await admin.ok('POST', `${base}/mcp-servers`, entry);
});

const secret = 'sesame-for-a-check';
const entry = {
  name: 'files',
  shape: { type: 'command', command: 'node', args: ['server.js'] },
  manifest: {
    env: {
      API_TOKEN: { kind: 'secret', label: 'Token', required: true },
      MODE: { kind: 'value', label: 'Mode', enum: ['fast', 'slow'] },
    },
    tool_scopes: { write: 'files.write' },
  },
};
const env = { API_TOKEN: '${TOKEN}', MODE: 'fast' };
const listing: ToolListing = {
  outcome: 'listed',
  tools: [
    {
      name: 'write',
      title: null,
      description: `Writes with ${Buffer.from(secret).toString('base64')} and ${secret}`,
      hints: { read_only: false, destructive: true, idempotent: null, open_world: null },
    },
  ],
  left_out: 0,
  is_cut: false,
  list_ms: 12,
};
const output = 'a line of the server’s';

const path = () => `${base}/mcp-servers/files/checks`;
const pathOf = ({ id }: { id: string }) => `${path()}/${id}`;
const start = async (person = admin, body: unknown = { env }) =>
  (await person.ok<{ mcp_check: McpCheck }>('POST', path(), body)).mcp_check;
const read = async (check: McpCheck) =>
  (await admin.ok<{ mcp_check: McpCheck }>('GET', pathOf(check))).mcp_check;
const started = (check: McpCheck) =>
  untilFound(`the start of check ${check.id}`, async () =>
    (await api.runtime.inspect(check.id)).state === 'running' ? true : null,
  );
const startRunning = async () => {
  const check = await start();
  await started(check);
  return check;
};
const agentExits = (check: McpCheck) =>
  api.runtime.states.set(check.id, {
    state: 'running',
    containers: [{ name: 'agent', state: 'exited', exitCode: 0, signal: null }],
  });
const ended = (check: McpCheck) =>
  untilFound(`the end of check ${check.id}`, async () => {
    const now = await read(check);
    return now.ended_at === null ? null : now;
  });
const upload = (check: McpCheck, body: unknown = listing): Promise<Answer> =>
  api.asSidecar(
    check.id,
    'POST',
    `artifacts?${new URLSearchParams({ artifact_id: randomUUID(), name: 'tools.json', mime_type: 'application/json' })}`,
    body,
  );
const report = (check: McpCheck, changes: object = {}) =>
  api.asSidecar(check.id, 'POST', 'processes', {
    kind: 'server',
    name: 'files',
    state: 'ready',
    exit_code: null,
    signal: null,
    cause: null,
    handshake_ms: 40,
    sidecar_run: randomUUID(),
    revision: 1,
    starts: 1,
    output: { base64: Buffer.from(output).toString('base64'), written_bytes: 4000 },
    ...changes,
  });
const auditOf = async (event: string) =>
  (await admin.ok<{ audit_events: AuditEvent[] }>('GET', `${base}/audit-events?event=${event}`)).audit_events;

describe('a check', () => {
  it('runs the entry once as the only server of a separate workload, and shows its listing afterwards', async () => {
    const check = await startRunning();
    const [{ configuration, secrets } = {}] = api.runtime.started.slice(-1);
    expect(configuration).toMatchObject({
      session_id: check.id,
      agent: { run: { type: 'builtin', name: 'scripted' }, network: 'none', env: {} },
      servers: [{ name: 'files', env: { MODE: { kind: 'value', value: 'fast' } } }],
    });
    expect(secrets?.serverEnv['files']).toEqual({ API_TOKEN: secret, MODE: 'fast' });
    expect(
      await api.asSidecar(check.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' }),
    ).toMatchObject({ status: 200, body: { inputs: [] } });
    expect(await report(check)).toMatchObject({ status: 200 });
    expect(await upload(check)).toMatchObject({ status: 200 });
    expect(await read(check)).toMatchObject({ status: 'running', listing: null });
    agentExits(check);
    expect(await ended(check)).toMatchObject({
      status: 'completed',
      reason: null,
      mcp_server: { name: 'files', version: 1 },
      process: { state: 'ready', handshake_ms: 40, output_size_bytes: Buffer.byteLength(output) },
      listing: {
        list_ms: 12,
        tools: [
          { name: 'write', description: 'Writes with [secret] and [secret]', hints: { destructive: true } },
        ],
      },
    });
    expect(api.runtime.stopped).toContain(check.id);
    // Its token expired with it.
    expect(await upload(check)).toMatchObject({ status: 401 });
  });

  it('is for admins of the workspace', async () => {
    expect(await member.send('POST', path(), { env })).toMatchObject({ status: 403 });
    const check = await startRunning();
    for (const [method, at] of [
      ['GET', ''],
      ['GET', '/output'],
      ['POST', '/cancel'],
    ] as const) {
      expect(await member.send(method, pathOf(check) + at)).toMatchObject({ status: 403 });
    }
    const other = await api.workspace();
    await other.admin.ok('POST', `${other.base}/mcp-servers`, entry);
    const elsewhere = `${other.base}/mcp-servers/files/checks/${check.id}`;
    expect(await other.admin.send('GET', elsewhere)).toMatchObject({ status: 404 });
    expect(await other.admin.send('GET', pathOf(check))).toMatchObject({ status: 404 });
  });

  it('validates its env like an attachment', async () => {
    const refused = async (body: unknown) => {
      const { status, body: answer } = await admin.send('POST', path(), body);
      return { status, answer };
    };
    expect(await refused({ env: { API_TOKEN: secret } })).toMatchObject({
      status: 422,
      answer: { error: { fields: [{ path: 'env.API_TOKEN', code: 'not_a_reference' }] } },
    });
    expect(await refused({ env: { API_TOKEN: '${NONE}' } })).toMatchObject({
      answer: { error: { fields: [{ path: 'env.API_TOKEN', code: 'secret_not_set' }] } },
    });
    expect(await refused({ env: { ...env, MODE: 'other' } })).toMatchObject({
      answer: { error: { fields: [{ path: 'env.MODE', code: 'not_in_enum' }] } },
    });
    expect(await refused({ env: { ...env, EXTRA: 'x' } })).toMatchObject({
      answer: { error: { fields: [{ path: 'env.EXTRA', code: 'unknown_field' }] } },
    });
    await admin.ok('PATCH', `${base}/secrets/TOKEN`, { allowed_servers: [] });
    expect(await refused({ env })).toMatchObject({
      answer: { error: { fields: [{ path: 'env.API_TOKEN', code: 'secret_not_allowed' }] } },
    });
  });

  it('is one check for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = await Promise.all([
      admin.send('POST', path(), { env }, headers),
      admin.send('POST', path(), { env }, headers),
    ]);
    const idOf = ({ body }: Answer) => (body as { mcp_check: McpCheck }).mcp_check.id;
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(idOf(first)).toBe(idOf(second));
    expect(await admin.send('POST', path(), { env: { API_TOKEN: '${TOKEN}' } }, headers)).toMatchObject({
      status: 422,
    });
  });

  it('is in the audit trail with the names of its variables, and its values are in no event, log or plain column', async () => {
    const check = await startRunning();
    await report(check, { output: { base64: Buffer.from(secret).toString('base64'), written_bytes: 9 } });
    await upload(check);
    agentExits(check);
    await ended(check);
    expect(await auditOf('workspace.mcp.checked')).toMatchObject([
      {
        actor: { type: 'user', id: admin.user.id },
        resource: { type: 'mcp_server', name: 'files' },
        data: { check_id: check.id, version: 1, fields: ['API_TOKEN', 'MODE'] },
      },
    ]);
    const rows = await Promise.all(
      ['mcp_checks', 'mcp_check_texts', 'audit_events', 'session_events'].map((table) => api.db(table)),
    );
    const history = await api.temporal.workflow.getHandle(`mcp-check/${check.id}`).fetchHistory();
    for (const text of [JSON.stringify(rows), JSON.stringify(history), api.logged()]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });

  it('shows the output of its server to admins, each reading audited', async () => {
    const check = await startRunning();
    expect(await admin.send('GET', `${pathOf(check)}/output`)).toMatchObject({ status: 404 });
    await report(check);
    expect(await admin.ok('GET', `${pathOf(check)}/output`)).toMatchObject({
      output: { text: output, written_bytes: 4000 },
    });
    expect(await auditOf('workspace.mcp.check_output_read')).toMatchObject([
      { data: { check_id: check.id } },
    ]);
  });
});

describe('a check that fails', () => {
  it('fails with a cause from the closed list', async () => {
    const check = await startRunning();
    await report(check, { state: 'failed', cause: 'program_not_found', handshake_ms: null, exit_code: 127 });
    await upload(check, { ...listing, outcome: 'not_connected', tools: [], list_ms: null });
    agentExits(check);
    expect(await ended(check)).toMatchObject({
      status: 'failed',
      reason: 'The server did not start: its program was not found',
      process: { cause: 'program_not_found', exit_code: 127 },
    });
  });

  it('ends when it is cancelled, or when the person who started it is no longer an admin', async () => {
    const check = await startRunning();
    await admin.ok('POST', `${pathOf(check)}/cancel`);
    expect(await ended(check)).toMatchObject({ status: 'cancelled', reason: 'An admin cancelled the check' });

    const second = await startRunning();
    await api.db('members').where({ user_id: admin.user.id }).update({ role: 'member' });
    await eventually(async () =>
      expect(await api.db('mcp_checks').where({ id: second.id }).first()).toMatchObject({
        status: 'cancelled',
      }),
    );
    expect(api.runtime.stopped).toContain(second.id);
  });

  it('is not started for an entry or a secret that was changed since', async () => {
    const check = await startRunning();
    await upload(check);
    await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: 'another' });
    agentExits(check);
    expect(await ended(check)).toMatchObject({ status: 'failed', listing: null });
    expect((await ended(check)).reason).toContain('a secret of the check was changed');
  });

  it('ends, and is stopped, with its entry', async () => {
    const check = await startRunning();
    await admin.ok('DELETE', `${base}/mcp-servers/files`);
    await eventually(() => expect(api.runtime.stopped).toContain(check.id));
    expect(await api.db('mcp_checks').where({ id: check.id })).toEqual([]);
  });

  it('is swept when its worker was lost after it had ended, and not while it runs', async () => {
    const check = await startRunning();
    const dependencies = { db: api.db, runtime: api.runtime, log: pino({ level: 'silent' }) };
    expect(await stopOrphans(dependencies)).not.toContain(check.id);
    await api
      .db('mcp_checks')
      .where({ id: check.id })
      .update({ status: 'failed', ended_at: api.db.fn.now() });
    expect(await stopOrphans(dependencies)).toContain(check.id);
  });
});

describe('the sidecar of a check', () => {
  it('can upload a bounded list of tools, and nothing else', async () => {
    const check = await startRunning();
    expect(await upload(check, { any: 'thing' })).toMatchObject({ status: 400 });
    expect(await upload(check, { ...listing, tools: Array(501).fill(listing.tools[0]) })).toMatchObject({
      status: 400,
    });
    expect(await upload(check, JSON.stringify({ filler: 'x'.repeat(2_000_000) }))).toMatchObject({
      status: 413,
    });
    await report(check, { name: 'others' });
    await report(check, { kind: 'agent', name: 'agent' });
    expect(await read(check)).toMatchObject({ process: null });
  });

  it.each([
    ['tool-calls/check', { call_id: randomUUID(), server: 'files', tool: 'write' }],
    ['tool-calls', { calls: [] }],
    ['tool-calls/refused', { counts: [] }],
    ['events', { id: randomUUID(), type: 'agent.status', payload: { status: 'x', detail: null } }],
    [
      'permission-requests',
      {
        request_id: randomUUID(),
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope: 'once',
        justification: 'please',
        refused_call: null,
      },
    ],
    ['end', { outcome: 'completed', summary: null }],
  ])('has no session for %s', async (route, body) => {
    const check = await startRunning();
    expect(await api.asSidecar(check.id, 'POST', route, body)).toMatchObject({ status: 404 });
    expect(await admin.send('GET', `/api/sessions/${check.id}`)).toMatchObject({ status: 404 });
  });
});

describe('the use of checks', () => {
  it('is limited for each user, concurrently and per minute', async () => {
    await Promise.all([start(), start(), start()]);
    expect(await admin.send('POST', path(), { env })).toMatchObject({
      status: 409,
      body: { error: { message: 'The limit is 3 running checks per user; one has to end first' } },
    });
    let answer = await admin.send('POST', path(), { env });
    for (let asked = 0; asked < 10 && answer.status === 409; asked += 1) {
      answer = await admin.send('POST', path(), { env });
    }
    expect(answer).toMatchObject({ status: 429 });
  });

  it('keeps the newest hundred ended checks of a workspace', async () => {
    const check = await start();
    await api.db.raw(
      `insert into mcp_checks (workspace_id, mcp_server_id, entry_version, env, started_by, status, ended_at)
       select workspace_id, mcp_server_id, entry_version, env, started_by, 'failed', now() - make_interval(hours => age)
       from mcp_checks, generate_series(1, 120) as age where id = ?`,
      [check.id],
    );
    await start();
    const [left] = await api.db
      .select(
        api.db.raw('count(*)::int as ended, max(extract(epoch from now() - ended_at)) as oldest_seconds'),
      )
      .from('mcp_checks')
      .whereNotNull('ended_at')
      .whereIn('mcp_server_id', api.db('mcp_checks').where({ id: check.id }).select('mcp_server_id'));
    expect(left).toMatchObject({ ended: 100 });
    expect(Math.floor(Number(left?.oldest_seconds) / 3600)).toBe(100);
  });

  it('is removed after its retention, and with the key that sealed it', async () => {
    const check = await startRunning();
    await report(check);
    await upload(check);
    agentExits(check);
    await ended(check);
    const texts = () => api.db('mcp_check_texts').where({ check_id: check.id });
    const [key] = api.config.MASTER_KEYS;
    await api.db('mcp_check_texts').whereNot({ check_id: check.id }).delete();
    expect(await eraseCheckTextsOfOtherKeys(api.db, key?.id ?? '')).toBe(0);
    await removeOldChecks(api.db, { keptSeconds: 3600 });
    expect(await eraseCheckTextsOfOtherKeys(api.db, 'another')).toBe(2);
    expect(await texts()).toEqual([]);
    expect(await read(check)).toMatchObject({ status: 'completed', listing: null });
    await api
      .db('mcp_checks')
      .where({ id: check.id })
      .update({ ended_at: api.db.raw(`now() - interval '2 hours'`) });
    await removeOldChecks(api.db, { keptSeconds: 3600 });
    expect(await admin.send('GET', pathOf(check))).toMatchObject({ status: 404 });
  });
});
