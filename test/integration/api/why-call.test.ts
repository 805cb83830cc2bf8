/** Why a call passed, for three people: an admin, who drives the session, and a member who cannot read it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { PermissionRequest } from '../../../contract/permission-request.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { appendAuditEvent } from '../../../store/audit-events/append.ts';
import type { Person } from '../../support/api.ts';
import { frozenFor, giveGrant, replaceConfiguration } from '../../support/granted.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let admin: Person;
let member: Person;
let other: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeAll(async () => {
  api = await startSessionApi();
});
beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
  await replaceConfiguration(api.db, frozenFor(session, agent));
  other = await api.person('Olga Other');
  await api.join(workspace, other, 'member');
});
afterAll(() => api.stop());

const details = { scope: 'files.write' };
const writes = { server: 'files', tool: 'write_file' };

async function ask(): Promise<PermissionRequest> {
  const request_id = randomUUID();
  await api.asSidecar(session.id, 'POST', 'permission-requests', {
    ...{ request_id, grant_type: 'tool_scope', details, scope: 'session', justification: 'Please' },
    refused_call: { ...writes, arguments: '{"path":"a.txt"}' },
  });
  const path = `${base}/permission-requests/${request_id}`;
  return (await admin.ok<{ permission_request: PermissionRequest }>('GET', path)).permission_request;
}

async function called(of: Session, grantId: string | null, outcome = 'ok'): Promise<string> {
  const id = randomUUID();
  await appendAuditEvent(api.db, {
    id,
    workspaceId: workspace.id,
    event: 'session.mcp.tool_called',
    actor: { type: 'agent', id: of.agent_id },
    resource: { type: 'mcp_server', id: randomUUID(), name: 'files' },
    sessionId: of.id,
    data: { name: 'files', tool: 'write_file', outcome, duration_ms: 5, granted_via: grantId },
  });
  return id;
}
const whyOf = (person: Person, callId: string, of = session) =>
  person.send('GET', `/api/sessions/${of.id}/tool-calls/${callId}/why`);

it('leads from the call to its grant, its request, and what its approver was shown', async () => {
  const request = await ask();
  const { grant } = await member.ok<{ grant: { id: string } }>('POST', `${base}/grants`, {
    ...{ agent_subject_id: agent.id, grant_type: 'tool_scope', details, scope: 'once' },
    ...{ request_id: request.id, call_digest: request.refused_call?.digest, exact_call: true },
    reason: 'The report is wanted.',
  });
  const call = await called(session, grant.id);
  for (const person of [admin, member]) {
    expect(await whyOf(person, call)).toMatchObject({
      status: 200,
      body: {
        why: {
          call: { id: call, ...writes, outcome: 'ok', granted_via: grant.id },
          session_id: session.id,
          grant: { id: grant.id, scope: 'once', exact_call: true },
          request: { id: request.id, justification: 'Please' },
          approval: {
            by: { id: member.user.id, name: 'Max Member' },
            by_role: 'member',
            details,
            scope: 'once',
            reason: 'The report is wanted.',
            call_digest: request.refused_call?.digest,
            with_passkey: false,
            is_signed: true,
          },
        },
      },
    });
  }
  expect(await whyOf(other, call)).toMatchObject({ status: 403 });
  const stranger = await api.workspace();
  expect(await whyOf(stranger.admin, call)).toMatchObject({ status: 404 });
  // The signature and what the workers verify stay where they are.
  expect(JSON.stringify((await whyOf(admin, call)).body)).not.toContain('platform-approval');
});

it('says nothing is signed that is not, and shows nothing that was approved for something else', async () => {
  const made = async () => {
    const input = { agent_subject_id: agent.id, grant_type: 'tool_scope', details, scope: 'persistent' };
    return (await admin.ok<{ grant: { id: string } }>('POST', `${base}/grants`, input)).grant.id;
  };
  const [first, second] = [await made(), await made()];
  const approvalOf = async (grantId: string): Promise<string> =>
    (await api.db('decisions').where({ grant_id: grantId }).first('approval'))?.approval ?? '';
  const write = (grantId: string, approval: string) =>
    api.db('decisions').where({ grant_id: grantId }).update({ approval });
  const shown = async () => (await whyOf(member, call)).body;
  const call = await called(session, first);
  const genuine = await approvalOf(first);
  expect(await shown()).toMatchObject({ why: { approval: { scope: 'persistent', is_signed: true } } });
  const [header, payload = '', signature] = genuine.split('.');
  const text = Buffer.from(payload, 'base64url').toString('utf8').replace('files.write', 'files.read');
  await write(first, [header, Buffer.from(text).toString('base64url'), signature].join('.'));
  expect(await shown()).toMatchObject({
    why: { approval: { details: { scope: 'files.read' }, is_signed: false } },
  });
  // One that the platform did sign, for another grant.
  await write(first, await approvalOf(second));
  expect(await shown()).toMatchObject({ why: { grant: { id: first }, approval: null } });
  await write(first, 'lost');
  expect(await shown()).toMatchObject({ why: { approval: null } });
});

it('shows of another session’s request and call no more than that session’s readers see', async () => {
  const request = await ask();
  const { grant } = await admin.ok<{ grant: { id: string } }>('POST', `${base}/grants`, {
    ...{ agent_subject_id: agent.id, grant_type: 'tool_scope', details, scope: 'once' },
    ...{ request_id: request.id, call_digest: request.refused_call?.digest, exact_call: true },
  });
  const mine = (await api.runningSession(other, base)).session;
  const call = await called(mine, grant.id);
  expect(await whyOf(other, call, mine)).toMatchObject({
    status: 200,
    body: {
      why: {
        grant: { id: grant.id, bound_to: { call_digest: null } },
        request: null,
        approval: { by: { name: 'Ada Admin' }, call_digest: null },
      },
    },
  });
  expect(await whyOf(admin, call, mine)).toMatchObject({
    body: { why: { request: { id: request.id }, approval: { call_digest: request.refused_call?.digest } } },
  });
});

it('says of a call without a grant, and of a grant without a decision, no more than is there', async () => {
  const open = await called(session, null);
  const none = { grant: null, request: null, approval: null };
  expect(await whyOf(member, open)).toMatchObject({ body: { why: none } });
  const written = await giveGrant(api.db, session, { scope: 'persistent' });
  const call = await called(session, written.id);
  expect(await whyOf(member, call)).toMatchObject({
    body: { why: { grant: { id: written.id }, request: null, approval: null } },
  });
  const elsewhere = (await api.runningSession(member, base)).session;
  expect(await whyOf(member, call, elsewhere)).toMatchObject({ status: 404 });
  expect(await whyOf(member, randomUUID())).toMatchObject({ status: 404 });
});
