/** The activity that writes grants looks at a passkey's answer itself, whatever the API has signed. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createSignApproval, type SignApproval } from '../../../api/grants/sign-approval.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { ApprovalClaims } from '../../../contract/approval.ts';
import type { DatedAssertion } from '../../../contract/passkey.ts';
import { grantChallenge } from '../../../contract/passkey-challenge.ts';
import { insertDecision } from '../../../store/decisions/decisions.ts';
import { readGrant } from '../../../store/grants/read.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { type Answering, PasskeyDevice } from '../../support/passkey-device.ts';
import type { Tenant } from '../../support/tenant.ts';

type GrantClaims = ApprovalClaims['grant'];

let activities: TestActivities;
let sign: SignApproval;
let tenant: Tenant;
let agent: Agent;
let device: PasskeyDevice;

beforeAll(async () => {
  activities = await createTestActivities();
  sign = await createSignApproval(activities.approvalPrivateKey);
  tenant = await activities.tenant();
  agent = await tenant.agent();
  await tenant.server('files', { tool_scopes: { write_file: 'files.write' } }, { require_passkey: true });
});
beforeEach(async () => {
  device = await passkeyOf(tenant.max.id);
});
afterAll(() => activities.drop());

async function passkeyOf(user_id: string): Promise<PasskeyDevice> {
  const made = new PasskeyDevice('https://agents.example.com');
  await activities.db('passkeys').insert({ id: randomUUID(), user_id, name: 'Laptop', ...made.stored });
  return made;
}

const claimsFor = (changes: Partial<GrantClaims> = {}): GrantClaims => ({
  id: randomUUID(),
  workspace_id: tenant.workspace.id,
  user_subject_id: null,
  agent_subject_id: agent.id,
  grant_type: 'tool_scope',
  details: { scope: 'files.write' },
  scope: 'once',
  session_id: null,
  reason: null,
  granted_by_user_id: tenant.max.id,
  granted_by_role: 'member',
  request_id: null,
  bound_call_digest: null,
  expires_at: null,
  ...changes,
});

/** An approval as the API signs it, with whatever answer; carried out by the activity. */
async function carryOut(grant: GrantClaims, passkey: ApprovalClaims['passkey']): Promise<unknown> {
  const decisionId = randomUUID();
  await insertDecision(activities.db, {
    id: decisionId,
    workspaceId: tenant.workspace.id,
    requestId: null,
    kind: 'approve',
    userId: grant.granted_by_user_id,
    reason: null,
    approval: await sign(decisionId, grant, passkey),
  });
  return activities.run('carryOutDecision', { decisionId });
}

/** The answer to a challenge of this grant that began so many seconds ago. */
function answered(
  grant: GrantClaims,
  { by = device, agoSeconds = 0, ...said }: Answering & { by?: PasskeyDevice; agoSeconds?: number } = {},
): DatedAssertion {
  const begun_at = new Date(Date.now() - agoSeconds * 1000).toISOString();
  return { ...by.answer(grantChallenge(grant, begun_at), said), begun_at };
}

const removed = () => activities.db('passkeys').where({ user_id: tenant.max.id }).delete();

describe('a signed approval of a scope that asks for a passkey', () => {
  it('writes the grant that the passkey answered, and keeps the count with it', async () => {
    const grant = claimsFor();
    await carryOut(grant, answered(grant));
    expect(await readGrant(activities.db, grant.id)).toMatchObject({ id: grant.id });
    const { credential_id } = device.stored;
    const row = await activities.db('passkeys').where({ credential_id }).first();
    expect(row).toMatchObject({ sign_count: 1, last_used_at: expect.anything() });
    const later = claimsFor();
    const old = carryOut(later, answered(later, { count: 1 }));
    await expect(old).rejects.toMatchObject({ type: 'passkey_required' });
    expect(await readGrant(activities.db, later.id)).toBeNull();
  });

  it('counts the time of an answer by the clock that it began by, whatever the worker’s says', async () => {
    const grant = claimsFor();
    const answer = answered(grant, { agoSeconds: 200 });
    const workerMs = Date.now() + 200_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(workerMs);
    try {
      await carryOut(grant, answer);
    } finally {
      clock.mockRestore();
    }
    expect(await readGrant(activities.db, grant.id)).toMatchObject({ id: grant.id });
  });

  it.each<[string, (grant: GrantClaims) => Promise<ApprovalClaims['passkey']> | ApprovalClaims['passkey']]>([
    ['without an answer', () => null],
    ['for the answer to another grant', () => answered(claimsFor())],
    ['for the answer to a narrower one', (grant) => answered({ ...grant, scope: 'once' })],
    ['for an answer from elsewhere', (grant) => answered(grant, { origin: 'https://evil.example' })],
    ['for an answer of nobody', (grant) => answered(grant, { verified: false })],
    [
      'for an answer of another person',
      async (grant) => answered(grant, { by: await passkeyOf(tenant.ada.id) }),
    ],
    ['for an answer that somebody kept', (grant) => answered(grant, { agoSeconds: 301 })],
    [
      'for one whose time was changed since',
      (grant) => ({ ...answered(grant, { agoSeconds: 301 }), begun_at: new Date().toISOString() }),
    ],
    [
      'for one of an earlier release, which does not say its time',
      (grant) => ({ ...answered(grant), begun_at: undefined }),
    ],
    ['for one from a time to come', (grant) => answered(grant, { agoSeconds: -120 })],
    [
      'for an answer of a passkey that was removed since',
      async (grant) => {
        const answer = answered(grant);
        await removed();
        return answer;
      },
    ],
  ])('writes nothing %s', async (_, answerTo) => {
    const grant = claimsFor({ scope: 'persistent' });
    const writing = carryOut(grant, await answerTo(grant));
    await expect(writing).rejects.toMatchObject({ type: 'passkey_required', nonRetryable: true });
    expect(await readGrant(activities.db, grant.id)).toBeNull();
  });
});
