/**
 * From the refused call to the grant that permits exactly that one, through the API: what is shown to whom,
 * approved, checked and erased.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import { sha256OfCall } from '../../../contract/call-digest.ts';
import type { Grant } from '../../../contract/grant.ts';
import type { PermissionRequest } from '../../../contract/permission-request.ts';
import type { Session } from '../../../contract/session.ts';
import { permissionRequestWorkflowId } from '../../../contract/workflows.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { eraseOldCalls } from '../../../store/permission-requests/calls.ts';
import type { Person } from '../../support/api.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let workspace: Workspace;
let admin: Person;
let member: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
  await replaceConfiguration(api.db, frozenFor(session, agent));
});

const marker = 'the-text-that-only-the-approver-reads';
const writes = { server: 'files', tool: 'write_file' };
const text = `{"path":"a.txt","text":"${marker}"}`;
const details = { scope: 'files.write' };

async function ask(call: Record<string, unknown> | null = { arguments: text }): Promise<PermissionRequest> {
  const request_id = randomUUID();
  const answer = await api.asSidecar(session.id, 'POST', 'permission-requests', {
    request_id,
    grant_type: 'tool_scope',
    details,
    scope: 'session',
    justification: 'Please',
    refused_call: call === null ? null : { ...writes, ...call },
  });
  expect(answer).toMatchObject({ status: 200, body: { status: 'sent', request_id } });
  return (
    await admin.ok<{ permission_request: PermissionRequest }>(
      'GET',
      `${base}/permission-requests/${request_id}`,
    )
  ).permission_request;
}
const digestOf = ({ refused_call: call }: PermissionRequest) => call?.digest ?? undefined;
const readCall = (request: PermissionRequest, person = member, from = base) =>
  person.send('GET', `${from}/permission-requests/${request.id}/call`);

const approval = (request: PermissionRequest, content: Record<string, unknown> = {}) => ({
  agent_subject_id: agent.id,
  grant_type: 'tool_scope',
  details,
  scope: 'once',
  request_id: request.id,
  call_digest: digestOf(request),
  ...content,
});
const approve = (request: PermissionRequest, content: Record<string, unknown> = {}) =>
  member.send('POST', `${base}/grants`, approval(request, content));
const approved = async (request: PermissionRequest, content: Record<string, unknown> = {}) =>
  (await member.ok<{ grant: Grant }>('POST', `${base}/grants`, approval(request, content))).grant;

const check = (argumentsText: string, more: Record<string, unknown> = {}) => ({
  call_id: randomUUID(),
  ...writes,
  call_sha256: sha256OfCall({ ...writes, entryVersion: 1, argumentsText }),
  ...more,
});
const checked = async (body: object) =>
  (await api.asSidecar(session.id, 'POST', 'tool-calls/check', body)).body;
/** As a sidecar reads it. */
const stateOf = async ({ id }: PermissionRequest) =>
  (await api.asSidecar(session.id, 'GET', `permission-requests/${id}`)).body;
const approvedBy = ({ id, request_id, reason }: Grant) => ({
  ...{ request_id, status: 'approved', grant_id: id, reason },
});
const refused = { decision: 'refused', code: 'permission_required', scope: 'files.write' };

describe('an approval', () => {
  it('of exactly the refused call lets that one pass, once, and tells others that they differ', async () => {
    const request = await ask();
    const grant = await approved(request, { exact_call: true });
    expect(grant).toMatchObject({
      details,
      scope: 'once',
      bound_to: { session_id: session.id, ...writes, call_digest: digestOf(request) },
    });
    expect(await stateOf(request)).toEqual({ ...approvedBy(grant), exact_call: true });
    const differs = { ...refused, differs_from_approved: true };
    expect(await checked(check('{}'))).toEqual(differs);
    expect(await checked(check(text, { call_sha256: undefined }))).toEqual(differs);
    const [other, exact] = [check('{"path":"b.txt"}'), check(text)];
    expect((await api.asSidecar(session.id, 'POST', 'tool-calls/checks', { checks: [other] })).body).toEqual({
      answers: [{ call_id: other.call_id, answer: differs }],
    });
    const passed = { decision: 'allowed', granted_via: grant.id };
    expect((await api.asSidecar(session.id, 'POST', 'tool-calls/checks', { checks: [exact] })).body).toEqual({
      answers: [{ call_id: exact.call_id, answer: passed }],
    });
    expect(await checked(exact)).toEqual(passed);
    expect(await checked(check(text))).toEqual(refused);
  });

  it('that names the call without binding to it serves any call of the tool', async () => {
    const request = await ask();
    const grant = await approved(request);
    expect(await stateOf(request)).toEqual(approvedBy(grant));
    expect(grant.bound_to).toEqual({ session_id: session.id, ...writes, call_digest: null });
    expect(await checked(check('{}'))).toEqual({ decision: 'allowed', granted_via: grant.id });
  });

  it('is a conflict when it names another call, or none, and decides nothing', async () => {
    const request = await ask();
    const other = digestOf(await ask({ arguments: '{"path":"b.txt"}' }));
    for (const call_digest of [undefined, other, '0'.repeat(64)]) {
      for (const exact_call of [undefined, true]) {
        expect(await approve(request, { call_digest, exact_call })).toMatchObject({
          status: 409,
          body: { error: { code: 'conflict', message: expect.stringMatching(/call/) } },
        });
      }
    }
    expect(await readCall(request)).toMatchObject({ status: 200 });
    expect(await approve(request)).toMatchObject({ status: 201 });
  });

  it.each([null, { arguments_size_bytes: 20_000 }])(
    'is a conflict when it names a call of a request that has none: %j',
    async (call) => {
      expect(await approve(await ask(call), { call_digest: '0'.repeat(64) })).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict' } },
      });
    },
  );

  it('binds to nothing but the kept call of a named request, once', async () => {
    const request = await ask();
    const bare = await ask({ arguments_size_bytes: 20_000 });
    const misfits: [PermissionRequest, Record<string, unknown>][] = [
      [request, { scope: 'session', session_id: session.id }],
      [request, { request_id: undefined }],
      [bare, {}],
    ];
    for (const [asked, content] of misfits) {
      const answer = await approve(asked, { exact_call: true, ...content });
      expect(answer).toMatchObject({ status: 422 });
      expect(answer.text).toContain('exact_call');
    }
    expect(await approve(request, { exact_call: false })).toMatchObject({ status: 422 });
  });

  it('without a request answers an equal one, and is bound to no call', async () => {
    const request = await ask();
    const grant = await approved(request, {
      scope: 'session',
      session_id: session.id,
      request_id: undefined,
      call_digest: undefined,
    });
    expect(grant).toMatchObject({ request_id: request.id, bound_to: null });
  });

  it('is another one under the same key when the call or its binding is another', async () => {
    const request = await ask();
    const key = { 'idempotency-key': randomUUID() };
    const send = (content: Record<string, unknown>) =>
      member.send('POST', `${base}/grants`, approval(request, content), key);
    const first = await send({ exact_call: true });
    expect(first).toMatchObject({ status: 201 });
    expect((await send({ exact_call: true })).body).toMatchObject({
      grant: { id: (first.body as { grant: Grant }).grant.id },
    });
    for (const content of [{}, { exact_call: true, call_digest: '0'.repeat(64) }]) {
      expect(await send(content)).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: 'Idempotency-Key', code: 'reused' }] } },
      });
    }
  });
});

describe('the refused call', () => {
  const shown = (request: PermissionRequest) => ({
    status: 200,
    body: { call: { ...writes, digest: digestOf(request), arguments: text } },
  });

  it('is shown to those who may decide and may read the session', async () => {
    const request = await ask();
    expect(request.refused_call).toEqual({
      ...writes,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      arguments_size_bytes: Buffer.byteLength(text),
    });
    expect(await readCall(request)).toMatchObject(shown(request));
    expect(await readCall(request, admin)).toMatchObject(shown(request));
    await approved(request);
    expect(await readCall(request)).toMatchObject(shown(request));
  });

  it('is refused to an owner of the agent who may not read the session, and to a reader who may not decide', async () => {
    const [owner, reader] = [await api.person('Olga Owner'), await api.person('Rita Reader')];
    await api.join(workspace, owner, 'member');
    await api.join(workspace, reader, 'member');
    await api.db('agents').where({ id: agent.id }).update({ owner_id: owner.user.id });
    const request = await ask();
    expect(await readCall(request, owner)).toMatchObject({ status: 403 });
    expect(await readCall(request, reader)).toMatchObject({ status: 404 });
    await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
    expect(await readCall(request, owner)).toMatchObject(shown(request));
    expect(await readCall(request, reader)).toMatchObject({ status: 403 });
  });

  it('is refused to an operator where the scope is kept to admins, also once it was decided', async () => {
    const request = await ask();
    await admin.ok('POST', `${base}/mcp-servers`, {
      name: 'files',
      shape: { type: 'command', command: 'x' },
      manifest: { tool_scopes: { write_file: 'files.write' } },
      approvers: 'admin',
    });
    expect(await readCall(request)).toMatchObject({ status: 403 });
    await admin.ok('POST', `${base}/permission-requests/${request.id}/deny`, {});
    expect(await readCall(request)).toMatchObject({ status: 403 });
    expect(await readCall(request, admin)).toMatchObject(shown(request));
  });

  it('is not found by strangers, from another workspace, by the agent, or where there is none', async () => {
    const request = await ask();
    const other = await api.workspace();
    expect(await readCall(request, other.admin)).toMatchObject({ status: 404 });
    expect(await readCall(request, other.admin, other.base)).toMatchObject({ status: 404 });
    expect(await readCall(request, admin, other.base)).toMatchObject({ status: 404 });
    expect(await api.anonymous.send('GET', `${base}/permission-requests/${request.id}/call`)).toMatchObject({
      status: 401,
    });
    expect(await api.asSidecar(session.id, 'GET', `permission-requests/${request.id}/call`)).toMatchObject({
      status: 404,
    });
    expect(await readCall(await ask({ arguments_size_bytes: 20_000 }))).toMatchObject({ status: 404 });
  });

  it('is not kept where an admin turns that off, which is audited', async () => {
    await admin.ok('PATCH', base, { settings: { keep_refused_calls: false } });
    const request = await ask();
    expect(request.refused_call).toEqual({ ...writes, digest: null, arguments_size_bytes: null });
    expect(await readCall(request)).toMatchObject({ status: 404 });
    expect(await approve(request)).toMatchObject({ status: 201 });
    const { audit_events } = await admin.ok<{ audit_events: { data: object }[] }>(
      'GET',
      `${base}/audit-events?event=workspace.settings_updated`,
    );
    expect(audit_events).toMatchObject([{ data: { changed: { keep_refused_calls: false } } }]);
    expect(await member.send('PATCH', base, { settings: { keep_refused_calls: true } })).toMatchObject({
      status: 403,
    });
  });

  it('of more than 16 KiB is refused from a sidecar, in a report and in the log without its text', async () => {
    const answer = await api.asSidecar(session.id, 'POST', 'permission-requests', {
      request_id: randomUUID(),
      grant_type: 'tool_scope',
      details,
      scope: 'once',
      justification: '',
      refused_call: { ...writes, arguments: marker.repeat(500) },
    });
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.text + api.logged()).not.toContain(marker);
  });

  it('is erased a while after the decision, and its digest and size stay', async () => {
    const [open, decided] = [await ask({ arguments: '{"path":"b.txt"}' }), await ask()];
    await approved(decided);
    const longAgo = api.db.raw("now() - interval '2 hours'");
    await api.db('permission_requests').where({ id: open.id }).update({ created_at: longAgo });
    await eraseOldCalls(api.db, { keptSeconds: 3600 });
    expect(await readCall(decided)).toMatchObject(shown(decided));
    await api.db('permission_requests').where({ id: decided.id }).update({ decided_at: longAgo });
    await eraseOldCalls(api.db, { keptSeconds: 3600 });
    expect(await readCall(decided)).toMatchObject({
      status: 200,
      body: { call: { ...writes, digest: digestOf(decided), arguments: null } },
    });
    expect(await readCall(open)).toMatchObject({ body: { call: { arguments: '{"path":"b.txt"}' } } });
    await api.db('sessions').where({ id: session.id }).delete();
    expect(await api.db('permission_request_calls').where({ request_id: open.id })).toEqual([]);
  });

  it('does not open for another request that its sealed text is moved to', async () => {
    const [one, other] = [await ask(), await ask({ arguments: '{"path":"b.txt"}' })];
    const sealed = await api
      .db('permission_request_calls')
      .where({ request_id: one.id })
      .first('sealed_value', 'sealed_data_key', 'key_id');
    await api
      .db('permission_request_calls')
      .where({ request_id: other.id })
      .update(sealed ?? {});
    expect(await readCall(other)).toMatchObject({ status: 200, body: { call: { arguments: null } } });
  });

  it('appears in no table, log, event, audit event or workflow', async () => {
    const request = await ask();
    const grant = await approved(request, { exact_call: true });
    await checked(check(`{"path":"${marker}"}`));
    expect(await checked(check(text))).toMatchObject({ granted_via: grant.id });
    await readCall(request);
    const sha256 = sha256OfCall({ ...writes, entryVersion: 1, argumentsText: text });
    const tables = await api
      .db('information_schema.tables')
      .where({ table_schema: 'public' })
      .select('table_name');
    for (const hidden of [marker, Buffer.from(marker).toString('hex'), sha256]) {
      for (const { table_name: table } of tables) {
        const found = api.db.raw('select count(*)::int as hits from ?? t where t::text like ?', [
          table,
          `%${hidden}%`,
        ]);
        expect({ table, hits: (await found).rows[0].hits }).toEqual({ table, hits: 0 });
      }
      expect(api.logged()).not.toContain(hidden);
    }
    const workflowId = permissionRequestWorkflowId(request.id);
    const history = await api.temporal.workflow.getHandle(workflowId).fetchHistory();
    const written = JSON.stringify(history, (_, value) =>
      value?.type === 'Buffer' || value instanceof Uint8Array
        ? Buffer.from(value.data ?? value).toString()
        : value,
    );
    expect(written).toContain(request.id);
    expect(written).not.toContain(marker);
    expect(written).not.toContain(digestOf(request));
  });
});
