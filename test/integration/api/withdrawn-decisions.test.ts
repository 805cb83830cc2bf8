/**
 * A decision that no worker carries out while its maker waits never counts: "try again" is true, and audited.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { grantWorkflowId } from '../../../contract/workflows.ts';
import type { Answer, Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspaceId: string;
let base: string;
let member: Person;
let session: Session;
let agent: Agent;

beforeAll(async () => {
  api = await startSessionApi({}, { decisionMs: 3000 });
});
beforeEach(async () => {
  const made = await api.workspace();
  ({ base, member } = made);
  workspaceId = made.workspace.id;
  ({ session, agent } = await api.runningSession(member, base));
});
afterAll(() => api.stop());

/**
 * Keeps the worker from carrying a decision of the member out for as long as `work` takes: it
 * waits for their membership.
 */
async function whileTheWorkerWaits<Result>(work: () => Promise<Result>): Promise<Result> {
  const trx: Knex.Transaction = await api.db.transaction();
  try {
    await trx('members').where({ user_id: member.user.id }).forUpdate().select('user_id');
    return await work();
  } finally {
    await trx.rollback();
  }
}

async function ask(): Promise<string> {
  const request_id = randomUUID();
  const answer = await api.asSidecar(session.id, 'POST', 'permission-requests', {
    request_id,
    ...{ grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'session' },
    ...{ justification: 'Please', refused_call: null },
  });
  expect(answer.body).toMatchObject({ status: 'sent' });
  return request_id;
}

const key = randomUUID();
const grant = (requestId?: string): Promise<Answer> =>
  member.send(
    'POST',
    `${base}/grants`,
    {
      agent_subject_id: agent.id,
      ...{ grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'session' },
      session_id: session.id,
      ...(requestId === undefined ? {} : { request_id: requestId }),
    },
    { 'idempotency-key': key },
  );
const deny = (requestId: string) =>
  member.send('POST', `${base}/permission-requests/${requestId}/deny`, { reason: 'No' });

const withdrawn = {
  status: 503,
  body: { error: { code: 'unavailable', message: expect.stringContaining('withdrawn: try again') } },
};
const rows = (table: string) => api.db(table).where({ workspace_id: workspaceId });
const audited = () => rows('audit_events').where({ event: 'decision.withdrawn' });
const statusOf = async (id: string) => (await rows('permission_requests').where({ id }).first()).status;

describe('a decision that nobody carried out in time', () => {
  it('that approves a request is withdrawn, and made again with the same key counts once', async () => {
    const requestId = await ask();
    expect(await whileTheWorkerWaits(() => grant(requestId))).toMatchObject(withdrawn);
    const again = await eventually(async () => {
      const answer = await grant(requestId);
      expect(answer).toMatchObject({ status: 201 });
      return answer;
    });
    const { grant: made } = again.body as { grant: { id: string } };
    expect(await rows('grants').pluck('id')).toEqual([made.id]);
    expect((await audited())[0]).toMatchObject({
      actor_type: 'system',
      ...{
        resource_type: 'permission_request',
        resource_id: requestId,
        resource_name: 'tool_scope files.write',
      },
      session_id: session.id,
      data: { kind: 'approve', decided_by: member.user.id },
    });
  });

  it('that denies a request is withdrawn, and the person may approve instead', async () => {
    const requestId = await ask();
    expect(await whileTheWorkerWaits(() => deny(requestId))).toMatchObject(withdrawn);
    expect(await statusOf(requestId)).toBe('open');
    await eventually(async () => expect(await grant(requestId)).toMatchObject({ status: 201 }));
    expect(await statusOf(requestId)).toBe('approved');
    expect((await audited())[0]).toMatchObject({ data: { kind: 'deny' } });
  });

  it('that answers no request is withdrawn: the worker finds that it does not count', async () => {
    expect(await whileTheWorkerWaits(() => grant())).toMatchObject(withdrawn);
    const [decision] = await rows('decisions').select('grant_id', 'withdrawn_at', 'carried_out_at');
    expect(decision).toEqual({
      grant_id: expect.any(String),
      ...{ withdrawn_at: expect.anything(), carried_out_at: null },
    });
    const workflow = api.temporal.workflow.getHandle(grantWorkflowId(decision.grant_id));
    await expect(workflow.result()).rejects.toMatchObject({ cause: { type: 'decision_withdrawn' } });
    expect(await rows('grants')).toEqual([]);
    expect((await audited())[0]).toMatchObject({ resource_type: 'grant', resource_id: decision.grant_id });
  });
});
