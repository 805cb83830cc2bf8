/**
 * Decisions that do not count: whose makers were told to make them again, and a worker comes to them later;
 * and denials that came second.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError } from '../../../api/errors.ts';
import { carryOutOrWithdraw } from '../../../api/grants/carry-out.ts';
import { createSignApproval, type SignApproval } from '../../../api/grants/sign-approval.ts';
import { withdrawDecision } from '../../../commands/decisions/withdraw.ts';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import { insertDecision } from '../../../store/decisions/decisions.ts';
import { readPermissionRequest } from '../../../store/permission-requests/requests.ts';
import { listSessionInputs } from '../../../store/session-inputs/inputs.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { callKeys, freezeGates } from '../../support/granted.ts';
import { volume } from '../../support/mode.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let sign: SignApproval;
let tenant: Tenant;

beforeAll(async () => {
  activities = await createTestActivities();
  sign = await createSignApproval(activities.approvalPrivateKey);
  tenant = await activities.tenant();
});
afterAll(() => activities.drop());

const asks = { grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'session' } as const;

/** What a person decides of a new request, stored as the API does. */
async function decided(kind: 'approve' | 'deny') {
  const agent = await tenant.agent();
  const { id: sessionId } = await freezeGates(activities.db, await tenant.session(agent), agent);
  const [requestId, id] = [randomUUID(), randomUUID()];
  const request = { request_id: requestId, ...asks, justification: 'to write', refused_call: null };
  const limits = { openRequests: 10, denialMuteSeconds: 600, expirySeconds: 3600 };
  await askForPermission(activities.db, callKeys, sessionId, request, limits);
  const approval = () =>
    sign(id, {
      ...{ id: randomUUID(), workspace_id: tenant.workspace.id, request_id: requestId, ...asks },
      ...{ user_subject_id: null, agent_subject_id: agent.id, session_id: sessionId, reason: null },
      ...{ granted_by_user_id: tenant.max.id, granted_by_role: 'member' },
      ...{ bound_call_digest: null, expires_at: null },
    });
  await insertDecision(activities.db, {
    ...{ id, workspaceId: tenant.workspace.id, requestId, kind, userId: tenant.max.id, reason: null },
    approval: kind === 'approve' ? await approval() : null,
  });
  return { id, requestId, sessionId };
}

const carryOut = (decisionId: string) => activities.run('carryOutDecision', { decisionId });
const withdraw = (id: string) => withdrawDecision(activities.db, { id, subject: 'files.write' });
const statusOf = async (requestId: string) => (await readPermissionRequest(activities.db, requestId))?.status;
const grantsOf = (requestId: string) => activities.db('grants').where({ request_id: requestId });

describe.each(['approve', 'deny'] as const)('a decision to %s', (kind) => {
  it('that was withdrawn is not carried out, once and for all', async () => {
    const { id, requestId, sessionId } = await decided(kind);
    expect([await withdraw(id), await withdraw(id)]).toEqual([true, true]);
    for (const _attempt of [1, 2]) {
      await expect(carryOut(id)).rejects.toMatchObject({ type: 'decision_withdrawn', nonRetryable: true });
    }
    expect([await statusOf(requestId), await grantsOf(requestId)]).toEqual(['open', []]);
    expect(await listSessionInputs(activities.db, sessionId, { after: 0 })).toEqual([]);
    const audited = activities.db('audit_events').where({ resource_id: requestId }).orderBy('position');
    expect(await audited.pluck('event')).toEqual(['permission_request.created', 'decision.withdrawn']);
  });

  it('that was carried out stands, also when nobody said so in time', async () => {
    const { id } = await decided(kind);
    const outcome = await carryOut(id);
    expect(await withdraw(id)).toBe(false);
    expect(await carryOut(id)).toEqual(outcome);
    const unsaid = () => Promise.reject(new ApiError('unavailable', 'later'));
    expect(await carryOutOrWithdraw(activities.db, { id, subject: 'files.write' }, unsaid)).toBeNull();
  });

  it('is either carried out or withdrawn when both happen at once', async () => {
    for (let round = 0; round < volume({ quick: 10, full: 30, long: 200 }); round += 1) {
      const { id, requestId } = await decided(kind);
      const carriedOut = carryOut(id).then(
        () => true,
        () => false,
      );
      const [isCarriedOut, isWithdrawn] = await Promise.all([carriedOut, withdraw(id)]);
      expect(isCarriedOut).toBe(!isWithdrawn);
      expect((await statusOf(requestId)) === 'open').toBe(isWithdrawn);
      expect((await grantsOf(requestId)).length).toBe(isCarriedOut && kind === 'approve' ? 1 : 0);
    }
  });
});

it.each([
  ['another person', () => tenant.ada],
  ['the same person in another window', () => tenant.max],
])('a denial that comes second does not count, made by %s', async (_who, by) => {
  const { id: first, requestId, sessionId } = await decided('deny');
  const second = randomUUID();
  await insertDecision(activities.db, {
    ...{ id: second, workspaceId: tenant.workspace.id, requestId, kind: 'deny', userId: by().id },
    ...{ reason: 'never', approval: null, mutesSession: true },
  });
  await carryOut(first);
  for (const _attempt of [1, 2]) {
    await expect(carryOut(second)).rejects.toMatchObject({ type: 'already_decided', nonRetryable: true });
  }
  expect(await carryOut(first)).toEqual({ status: 'denied', grantId: null });
  const closed = await readPermissionRequest(activities.db, requestId);
  expect(closed).toMatchObject({ decided_by: tenant.max.id, reason: null });
  const session = await activities.db('sessions').where({ id: sessionId }).first();
  expect(session?.permission_requests_muted).toBe(false);
  expect(await withdraw(second)).toBe(true);
});
