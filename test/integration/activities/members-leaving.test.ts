/** A member who has left a workspace can decide, receive and start nothing more, even under races. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSignApproval, type SignApproval } from '../../../api/grants/sign-approval.ts';
import { removeMember } from '../../../commands/members/members.ts';
import type { ApprovalClaims } from '../../../contract/approval.ts';
import type { Session } from '../../../contract/session.ts';
import type { Db } from '../../../store/database.ts';
import { insertDecision } from '../../../store/decisions/decisions.ts';
import { readGrant } from '../../../store/grants/read.ts';
import { lockMembers } from '../../../store/members/members.ts';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { untilFound } from '../../support/eventually.ts';
import { grantFor } from '../../support/granted.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let sign: SignApproval;
let tenant: Tenant;
let session: Session;

beforeAll(async () => {
  activities = await createTestActivities();
  sign = await createSignApproval(activities.approvalPrivateKey);
});
beforeEach(async () => {
  tenant = await activities.tenant();
  session = await tenant.session(await tenant.agent());
});
afterAll(() => activities.drop());

async function approve(content: Partial<ApprovalClaims['grant']> = {}) {
  const grant = grantFor(session, { scope: 'persistent', ...content });
  const decisionId = randomUUID();
  await insertDecision(activities.db, {
    id: decisionId,
    workspaceId: tenant.workspace.id,
    requestId: null,
    kind: 'approve',
    userId: grant.granted_by_user_id,
    reason: null,
    approval: await sign(decisionId, grant),
  });
  return { decisionId, grantId: grant.id };
}
const byAda = () => ({ granted_by_user_id: tenant.ada.id, granted_by_role: 'admin' as const });
const carryOut = ({ decisionId }: { decisionId: string }) =>
  activities.run('carryOutDecision', { decisionId });
const remove = (db: Db) =>
  removeMember(db, {
    workspaceId: tenant.workspace.id,
    userId: tenant.max.id,
    by: { type: 'user', id: tenant.ada.id },
  });

/** Resolves when some statement waits for a lock that another transaction holds. */
const untilSomebodyWaits = () =>
  untilFound('a statement that waits for a lock', async () => {
    const { rows } = await activities.db.raw(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0] ?? null;
  });

/** Begins `work` while Max is being removed, and commits the removal once the work waits for it. */
async function duringRemoval<Result>(work: () => Promise<Result>): Promise<PromiseSettledResult<Result>> {
  const removal = await activities.db.transaction();
  await remove(removal);
  const settled = Promise.allSettled([work()]);
  await untilSomebodyWaits();
  await removal.commit();
  return (await settled)[0];
}

describe('a decision that is carried out while a member is being removed', () => {
  it.each<[string, () => Partial<ApprovalClaims['grant']>]>([
    ['who decided', () => ({})],
    ['who would hold the grant', () => ({ ...byAda(), user_subject_id: tenant.max.id })],
  ])('waits for the removal and writes no grant of the member %s', async (_who, content) => {
    const approved = await approve(content());
    expect(await duringRemoval(() => carryOut(approved))).toMatchObject({
      status: 'rejected',
      reason: { type: 'approval_invalid', nonRetryable: true },
    });
    expect(await readGrant(activities.db, approved.grantId)).toBeNull();
  });

  it('is waited for, and what it wrote is revoked', async () => {
    const writing = await activities.db.transaction();
    await lockMembers(writing, tenant.workspace.id, [tenant.max.id]);
    const removal = remove(activities.db);
    await untilSomebodyWaits();
    const late = grantFor(session, { ...byAda(), user_subject_id: tenant.max.id, scope: 'persistent' });
    await writing('grants').insert({ ...late, details: JSON.stringify(late.details) });
    await writing.commit();
    await removal;
    expect(await readGrant(activities.db, late.id)).toMatchObject({ revoked_at: expect.any(String) });
  });

  it('never leaves an active grant of the removed member, and never blocks the removal permanently', async () => {
    for (let round = 0; round < 15; round += 1) {
      tenant = await activities.tenant();
      session = await tenant.session(await tenant.agent());
      const approved = await approve({ ...byAda(), user_subject_id: tenant.max.id });
      const [carried, removed] = await Promise.allSettled([carryOut(approved), remove(activities.db)]);
      expect(removed).toMatchObject({ status: 'fulfilled', value: { result: 'done' } });
      const grant = await readGrant(activities.db, approved.grantId);
      expect(grant === null).toBe(carried.status === 'rejected');
      expect(grant?.revoked_at).not.toBeNull();
    }
  });
});

describe('a grant for a former member', () => {
  it('is not written, even if an admin approved it before', async () => {
    const approved = await approve({ ...byAda(), user_subject_id: tenant.max.id });
    await remove(activities.db);
    await expect(carryOut(approved)).rejects.toMatchObject({ type: 'approval_invalid' });
    expect(await readGrant(activities.db, approved.grantId)).toBeNull();
  });
});

describe('a session of a leaving member', () => {
  const freeze = () => activities.run('freezeConfiguration', { sessionId: session.id });
  const refused = {
    type: 'launch_refused',
    message: 'The person whom the session runs for is no longer a member of the workspace',
  };

  it('is not frozen when the removal was first', async () => {
    expect(await duringRemoval(freeze)).toMatchObject({ status: 'rejected', reason: refused });
    expect(await readConfiguration(activities.db, session.id)).toBeNull();
  });

  it('is found by a removal that waited for its freeze', async () => {
    const freezing = await activities.db.transaction();
    await lockMembers(freezing, tenant.workspace.id, [tenant.max.id]);
    const removal = remove(activities.db);
    await untilSomebodyWaits();
    const late = await tenant.session(await tenant.agent());
    await freezing.commit();
    expect(await removal).toEqual({
      result: 'done',
      endedSessionIds: [session.id, late.id],
      pausedScheduleIds: [],
    });
  });

  it('does not start, and none of its secrets is resolved', async () => {
    await freeze();
    await activities.run('validateLaunch', { sessionId: session.id });
    await activities.db('members').where({ user_id: tenant.max.id }).delete();
    const start = activities.run('startWorkload', { sessionId: session.id });
    await expect(start).rejects.toMatchObject(refused);
    const started = activities.runtime.started.map(({ configuration }) => configuration.session_id);
    expect(started).not.toContain(session.id);
  });
});
