import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompactSign, importPKCS8 } from 'jose';
import { createSignApproval, type SignApproval } from '../../../api/grants/sign-approval.ts';
import { removeMember } from '../../../commands/members/members.ts';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import { closePermissionRequest } from '../../../commands/permission-requests/close.ts';
import type { ApprovalClaims } from '../../../contract/approval.ts';
import type { GrantScope } from '../../../contract/grant.ts';
import type { ReportedCall } from '../../../contract/permission-request.ts';
import type { Session } from '../../../contract/session.ts';
import type { User } from '../../../contract/workspace.ts';
import { insertDecision } from '../../../store/decisions/decisions.ts';
import { readGrant } from '../../../store/grants/read.ts';
import { readPermissionRequest } from '../../../store/permission-requests/requests.ts';
import { listSessionInputs } from '../../../store/session-inputs/inputs.ts';
import { createTestActivities, environmentOf, type TestActivities } from '../../support/activities.ts';
import { callKeys, freezeGates } from '../../support/granted.ts';
import type { Tenant } from '../../support/tenant.ts';

type GrantClaims = ApprovalClaims['grant'];

let activities: TestActivities;
let sign: SignApproval;
let tenant: Tenant;

beforeAll(async () => {
  activities = await createTestActivities();
  sign = await createSignApproval(activities.approvalPrivateKey);
  tenant = await activities.tenant();
});
afterAll(() => activities.drop());

const writes = { server: 'files', tool: 'write_file' };

interface Asked {
  session: Session;
  requestId: string;
}

/** A session whose agent was refused `files.write_file` and asks for its scope. */
async function ask(scope: GrantScope = 'once', call: Partial<ReportedCall> = {}): Promise<Asked> {
  const agent = await tenant.agent();
  const session = await freezeGates(activities.db, await tenant.session(agent), agent);
  const requestId = randomUUID();
  const answer = await askForPermission(
    activities.db,
    callKeys,
    session.id,
    {
      request_id: requestId,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope,
      justification: 'to write',
      refused_call: { ...writes, ...call },
    },
    { openRequests: 10, denialMuteSeconds: 600, expirySeconds: 3600 },
  );
  expect(answer.status).toBe('sent');
  return { session, requestId };
}

function claimsFor(asked: Asked, changes: Partial<GrantClaims> = {}): GrantClaims {
  return {
    id: randomUUID(),
    workspace_id: tenant.workspace.id,
    user_subject_id: null,
    agent_subject_id: asked.session.agent_id,
    grant_type: 'tool_scope',
    details: { scope: 'files.write' },
    scope: 'once',
    session_id: null,
    reason: null,
    granted_by_user_id: tenant.max.id,
    granted_by_role: 'member',
    request_id: asked.requestId,
    bound_call_digest: null,
    expires_at: null,
    ...changes,
  };
}

/** Stores an approval as the API does, signed by `signed`. */
async function approve(
  asked: Asked,
  {
    grant = claimsFor(asked),
    by = tenant.max,
    signed = sign,
  }: { grant?: GrantClaims; by?: User; signed?: SignApproval } = {},
): Promise<{ decisionId: string; grant: GrantClaims }> {
  const decisionId = randomUUID();
  await insertDecision(activities.db, {
    id: decisionId,
    workspaceId: tenant.workspace.id,
    requestId: grant.request_id,
    kind: 'approve',
    userId: by.id,
    reason: null,
    approval: await signed(decisionId, grant),
  });
  return { decisionId, grant };
}

async function deny(asked: Asked, by: User = tenant.max): Promise<string> {
  const decisionId = randomUUID();
  await insertDecision(activities.db, {
    id: decisionId,
    workspaceId: tenant.workspace.id,
    requestId: asked.requestId,
    kind: 'deny',
    userId: by.id,
    reason: 'not today',
    approval: null,
  });
  return decisionId;
}

const carryOut = (decisionId: string) => activities.run('carryOutDecision', { decisionId });
const statusOf = async ({ requestId }: Asked) =>
  (await readPermissionRequest(activities.db, requestId))?.status;
const grantsOf = ({ requestId }: Asked) => activities.db('grants').where({ request_id: requestId });

describe('an approval', () => {
  it.each(['once', 'session', 'persistent'] as const)(
    'becomes one %s grant and a message for the agent, atomically',
    async (scope) => {
      const asked = await ask(scope);
      const session_id = scope === 'session' ? asked.session.id : null;
      const { decisionId, grant } = await approve(asked, { grant: claimsFor(asked, { scope, session_id }) });
      expect(await carryOut(decisionId)).toEqual({ status: 'approved', grantId: grant.id });
      expect(await readGrant(activities.db, grant.id)).toMatchObject({
        scope,
        granted_by_user_id: tenant.max.id,
        bound_to:
          scope === 'once' ? { session_id: asked.session.id, server: 'files', tool: 'write_file' } : null,
      });
      expect(await statusOf(asked)).toBe('approved');
      const [message] = await listSessionInputs(activities.db, asked.session.id, { after: 0 });
      expect(message?.decision).toMatchObject({ status: 'approved', grant_id: grant.id });
      const audited = await activities
        .db('audit_events')
        .where({ session_id: asked.session.id })
        .orderBy('position')
        .select('event');
      expect(audited.map(({ event }) => event)).toEqual(
        expect.arrayContaining([
          'permission_request.approved',
          ...(scope === 'persistent' ? [] : ['grant.created']),
        ]),
      );
    },
  );

  it('is idempotent, even after its signature has expired', async () => {
    const asked = await ask();
    const { decisionId, grant } = await approve(asked);
    const outcomes = [await carryOut(decisionId), await carryOut(decisionId)];
    expect(outcomes).toEqual([
      { status: 'approved', grantId: grant.id },
      { status: 'approved', grantId: grant.id },
    ]);
    expect(await grantsOf(asked)).toHaveLength(1);
    expect(await listSessionInputs(activities.db, asked.session.id, { after: 0 })).toHaveLength(1);
  });

  it('without a request answers none', async () => {
    const asked = await ask();
    const { decisionId, grant } = await approve(asked, { grant: claimsFor(asked, { request_id: null }) });
    expect(await carryOut(decisionId)).toMatchObject({ status: 'approved', grantId: grant.id });
    expect(await statusOf(asked)).toBe('open');
  });
});

describe('an invalid approval', () => {
  async function refused(asked: Asked, decisionId: string, type: string): Promise<void> {
    await expect(carryOut(decisionId)).rejects.toMatchObject({ type, nonRetryable: true });
    expect(await statusOf(asked)).toBe('open');
    expect(await grantsOf(asked)).toEqual([]);
  }

  it('is refused when it has another signer', async () => {
    const { privateKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const asked = await ask();
    const { decisionId } = await approve(asked, { signed: await createSignApproval(privateKey) });
    await refused(asked, decisionId, 'approval_invalid');
  });

  it.each([
    ['without a signature', (approval: string) => approval.replace(/[^.]*$/, '')],
    ['that is not one', () => 'approved'],
    [
      'with an algorithm of the sender’s choice',
      (approval: string) =>
        approval.replace(/^[^.]*/, Buffer.from('{"alg":"none"}').toString('base64url')).replace(/[^.]*$/, ''),
    ],
    [
      'with a changed payload',
      (approval: string) => {
        const [header = '', payload = '', signature = ''] = approval.split('.');
        const claims = Buffer.from(payload, 'base64url').toString().replace('"once"', '"persistent"');
        return [header, Buffer.from(claims).toString('base64url'), signature].join('.');
      },
    ],
    [
      'with the role of an admin in a member’s',
      (approval: string) => {
        const [header = '', payload = '', signature = ''] = approval.split('.');
        const claims = Buffer.from(payload, 'base64url').toString();
        const forged = claims.replace('"granted_by_role":"member"', '"granted_by_role":"admin"');
        expect(forged).not.toBe(claims);
        return [header, Buffer.from(forged).toString('base64url'), signature].join('.');
      },
    ],
  ])('is refused %s', async (_how, change) => {
    const asked = await ask('persistent');
    const { decisionId } = await approve(asked, {
      signed: async (id, grant) => change(await sign(id, grant)),
    });
    await refused(asked, decisionId, 'approval_invalid');
  });

  it('is refused on another decision than its own', async () => {
    const asked = await ask();
    const { decisionId } = await approve(asked, { signed: (_id, grant) => sign(randomUUID(), grant) });
    await refused(asked, decisionId, 'approval_invalid');
  });

  it.each([
    ['another scope word', { details: { scope: 'files.delete' } }],
    ['a wider scope', { scope: 'persistent' }],
    ['another type', { grant_type: 'spawn', details: { child_agent_id: randomUUID() } }],
    ['details that do not fit the type', { details: { scope: 'files.write', extra: true } }],
    ['another session', { scope: 'session', session_id: randomUUID() }],
    ['a call that the request does not have', { bound_call_digest: 'a'.repeat(64) }],
  ] as const)('does not answer the request with %s', async (_what, changes) => {
    const asked = await ask('once');
    const { decisionId } = await approve(asked, { grant: claimsFor(asked, changes) });
    await refused(asked, decisionId, 'approval_invalid');
  });

  it('is refused for another call, a wider scope or no request, and binds the grant to the refused call', async () => {
    const asked = await ask('session', { arguments: '{"path":"a.txt"}' });
    const { refused_call: call } = (await readPermissionRequest(activities.db, asked.requestId)) ?? {};
    const bound_call_digest = call?.digest ?? '';
    const wider = { scope: 'session', session_id: asked.session.id } as const;
    for (const changes of [{ bound_call_digest: 'a'.repeat(64) }, wider, { request_id: null }]) {
      const other = claimsFor(asked, { bound_call_digest, ...changes });
      await refused(asked, (await approve(asked, { grant: other })).decisionId, 'approval_invalid');
      expect(await readGrant(activities.db, other.id)).toBeNull();
    }
    const { decisionId, grant } = await approve(asked, { grant: claimsFor(asked, { bound_call_digest }) });
    expect(await carryOut(decisionId)).toEqual({ status: 'approved', grantId: grant.id });
    const bound_to = { session_id: asked.session.id, ...writes, call_digest: bound_call_digest };
    expect(await readGrant(activities.db, grant.id)).toMatchObject({ bound_to });
    const created = { resource_id: grant.id, event: 'grant.created' };
    expect(await activities.db('audit_events').where(created)).toMatchObject([{ data: { bound_to } }]);
  });

  it('is refused for somebody who did not sign in as that user', async () => {
    const asked = await ask();
    const { decisionId } = await approve(asked, { by: tenant.ada });
    await refused(asked, decisionId, 'approval_invalid');
  });

  it('is refused after its expiry, and leaves the request open', async () => {
    const asked = await ask();
    const key = await importPKCS8(activities.approvalPrivateKey, 'EdDSA');
    const seconds = Math.floor(Date.now() / 1000);
    const { decisionId } = await approve(asked, {
      signed: (jti, grant) =>
        new CompactSign(
          Buffer.from(
            JSON.stringify({ aud: 'platform-approval', jti, iat: seconds - 301, exp: seconds - 1, grant }),
          ),
        )
          .setProtectedHeader({ alg: 'EdDSA' })
          .sign(key),
    });
    await refused(asked, decisionId, 'approval_expired');
  });

  it('is refused once its human is no longer a member', async () => {
    const other = await activities.tenant();
    const kept = tenant;
    tenant = other;
    const asked = await ask();
    const { decisionId } = await approve(asked);
    await removeMember(activities.db, {
      workspaceId: tenant.workspace.id,
      userId: tenant.max.id,
      by: { type: 'user', id: tenant.ada.id },
    });
    await expect(carryOut(decisionId)).rejects.toMatchObject({ type: 'approval_invalid' });
    expect(await grantsOf(asked)).toEqual([]);
    tenant = kept;
  });

  it('is refused for a decision that does not exist, or an invalid id', async () => {
    await expect(carryOut(randomUUID())).rejects.toMatchObject({ type: 'approval_invalid' });
    await expect(carryOut('; drop table grants')).rejects.toMatchObject({ type: 'approval_invalid' });
  });
});

describe('a workflow of another name', () => {
  const refused = { type: 'foreign_workflow', nonRetryable: true };

  it('carries out no decision', async () => {
    const asked = await ask();
    const { decisionId } = await approve(asked);
    const denial = await deny(asked);
    const free = await approve(asked, { grant: claimsFor(asked, { request_id: null }) });
    const names = [
      `grant/${free.grant.id}x`,
      `permission-request/${randomUUID()}`,
      `session/${asked.session.id}`,
    ];
    for (const name of names) {
      for (const id of [decisionId, denial, free.decisionId]) {
        const carried = activities.run('carryOutDecision', { decisionId: id }, environmentOf(name));
        await expect(carried).rejects.toMatchObject(refused);
      }
    }
    expect(await statusOf(asked)).toBe('open');
    expect(await readGrant(activities.db, free.grant.id)).toBeNull();
    expect(await carryOut(free.decisionId)).toMatchObject({ grantId: free.grant.id });
  });

  it('does not change a session or request that has a workflow of its own', async () => {
    const { session, requestId } = await ask();
    const sessionId = session.id;
    const observed = { status: 'completed', reason: 'x' } as const;
    const foreign = environmentOf('session/other');
    const attempts = [
      activities.run('freezeConfiguration', { sessionId }, foreign),
      activities.run('validateLaunch', { sessionId }, foreign),
      activities.run('startWorkload', { sessionId }, foreign),
      activities.run('recordRunning', { sessionId }, foreign),
      activities.run('inspectWorkload', { sessionId, lastingMs: {} }, foreign),
      activities.run('deliverInputs', { sessionId }, foreign),
      activities.run('checkIdle', { sessionId, idleMs: 1 }, foreign),
      activities.run('stopWorkload', { sessionId }, foreign),
      activities.run('listOpenRequests', { sessionId }, foreign),
      activities.run('recordEnd', { sessionId, observed }, foreign),
      activities.run('readRequest', { requestId }, foreign),
      activities.run('closeRequest', { requestId, status: 'expired' }, foreign),
    ];
    for (const attempt of attempts) {
      await expect(attempt).rejects.toMatchObject(refused);
    }
    expect(await statusOf({ session, requestId })).toBe('open');
    expect(activities.runtime.stopped).not.toContain(sessionId);
  });
});

describe('concurrent decisions', () => {
  it('denies with its reason, and is idempotent', async () => {
    const asked = await ask();
    const decisionId = await deny(asked);
    expect(await carryOut(decisionId)).toEqual({ status: 'denied', grantId: null });
    expect(await carryOut(decisionId)).toEqual({ status: 'denied', grantId: null });
    const [message] = await listSessionInputs(activities.db, asked.session.id, { after: 0 });
    expect(message?.decision).toMatchObject({ status: 'denied', reason: 'not today' });
    expect(await grantsOf(asked)).toEqual([]);
  });

  it('refuses an approval of a request that was cancelled, and writes no grant', async () => {
    const asked = await ask();
    const { decisionId } = await approve(asked);
    await closePermissionRequest(activities.db, asked.requestId, { status: 'cancelled' });
    await expect(carryOut(decisionId)).rejects.toMatchObject({ type: 'already_decided' });
    expect(await grantsOf(asked)).toEqual([]);
  });

  it('closes a request once, however approval, denial and expiry race', async () => {
    for (let round = 0; round < 20; round += 1) {
      const asked = await ask();
      const { decisionId } = await approve(asked);
      const denial = await deny(asked, tenant.ada);
      const { requestId } = asked;
      const answers = await Promise.all([
        carryOut(decisionId).catch(() => null),
        carryOut(denial).catch(() => null),
        activities.run('closeRequest', { requestId, status: 'expired' }),
      ]);
      const status = await statusOf(asked);
      for (const answer of answers.filter((each) => each !== null)) {
        expect(answer.status).toBe(status);
      }
      expect(await grantsOf(asked)).toHaveLength(status === 'approved' ? 1 : 0);
      const messages = await listSessionInputs(activities.db, asked.session.id, { after: 0 });
      expect(messages).toHaveLength(1);
    }
  });
});
