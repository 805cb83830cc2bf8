/** Grants that are bound to exactly one call: which call they serve, decided by Postgres. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { ApprovalClaims } from '../../../contract/approval.ts';
import { digestOfCall, type ExactCall, sha256OfCall } from '../../../contract/call-digest.ts';
import type { Session } from '../../../contract/session.ts';
import { sqlState } from '../../../store/database.ts';
import { checkAndConsume } from '../../../store/grants/check-and-consume.ts';
import { checkStanding } from '../../../store/grants/check-standing.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { callKeys, callOf, freezeGates, giveGrant, grantFor } from '../../support/granted.ts';
import { checkAsyncProperty } from '../../support/property.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let agent: Agent;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  agent = await tenant.agent();
  session = await frozenSession();
});
afterAll(() => database.drop());

const frozenSession = async () => freezeGates(database.db, await tenant.session(agent), agent);

const approved: ExactCall = {
  server: 'files',
  tool: 'write_file',
  entryVersion: 1,
  argumentsText: '{"path":"a.txt"}',
};
const digestOf = (call: ExactCall) => digestOfCall(callKeys.callDigestKey, sha256OfCall(call));

/** A `once` grant of the session's agent that permits this call alone, as the activity writes it. */
async function bindTo(call: ExactCall, content: Partial<ApprovalClaims['grant']> = {}): Promise<string> {
  const { details, ...row } = grantFor(session, { bound_call_digest: digestOf(call), ...content });
  await database.db('grants').insert({
    ...row,
    details: JSON.stringify(details),
    bound_session_id: session.id,
    bound_server: call.server,
    bound_tool: call.tool,
  });
  return row.id;
}

const checked = (call: ExactCall, more: Partial<Parameters<typeof checkAndConsume>[1]> = {}) => {
  const { server, tool } = call;
  return checkAndConsume(database.db, callOf(session, { server, tool, digest: digestOf(call), ...more }));
};
const allowedOn = (id: string) => ({ decision: 'allowed', granted_via: id });
const refused = { decision: 'refused', code: 'permission_required', scope: 'files.write' };
const differs = { ...refused, differs_from_approved: true };
const consumedAt = async (id: string) => (await database.db('grants').where({ id }).first())?.consumed_at;

describe('a grant that is bound to one call', () => {
  it('lets that call pass once, and the audit trail names its digest', async () => {
    const id = await bindTo(approved);
    const callId = randomUUID();
    expect(await checked(approved, { callId })).toEqual(allowedOn(id));
    expect(await checked(approved)).toEqual(refused);
    const [event] = await database.db('audit_events').where({ event: 'grant.consumed', resource_id: id });
    expect(event?.data).toMatchObject({ call_id: callId, call_digest: digestOf(approved) });
    expect(JSON.stringify(event?.data).split(digestOf(approved))).toHaveLength(2);
  });

  const others: [what: string, call: Partial<ExactCall>, answer: object][] = [
    ['other arguments', { argumentsText: '{"path":"b.txt"}' }, differs],
    ['a number that is written otherwise', { argumentsText: '{"path":"a.txt","n":1.0}' }, differs],
    ['another version of the entry', { entryVersion: 2 }, differs],
    ['another tool of the scope', { tool: 'edit_file' }, refused],
    ['another server of the scope', { server: 'other' }, refused],
  ];
  it.each(others)('serves no call with %s, which consumes nothing', async (_what, change, answer) => {
    const id = await bindTo(approved);
    expect(await checked({ ...approved, ...change })).toEqual(answer);
    expect(await consumedAt(id)).toBeNull();
    expect(await checked(approved)).toEqual(allowedOn(id));
  });

  it('serves no call whose digest is unknown, and no other tool under the digest of the approved call', async () => {
    const id = await bindTo(approved);
    expect(await checked(approved, { digest: null })).toEqual(differs);
    expect(await checked(approved, { tool: 'edit_file' })).toEqual(refused);
    expect(await checked(approved, { server: 'other' })).toEqual(refused);
    expect(await consumedAt(id)).toBeNull();
  });

  it('serves no other session of its agent, nor tells it of the grant', async () => {
    const id = await bindTo(approved);
    const { id: sessionId } = await frozenSession();
    expect(await checked(approved, { sessionId })).toEqual(refused);
    expect(await checked({ ...approved, argumentsText: '{}' }, { sessionId })).toEqual(refused);
    expect(await consumedAt(id)).toBeNull();
  });

  it('that was revoked serves no call, and no call is said to differ from it', async () => {
    const id = await bindTo(approved);
    await revokeGrant(database.db, id, { type: 'system', id: null });
    expect(await checked(approved)).toEqual(refused);
    expect(await checked({ ...approved, argumentsText: '{}' })).toEqual(refused);
  });

  it('is used before a once grant for any call, and after a lasting one', async () => {
    const free = await giveGrant(database.db, session);
    const bound = await bindTo(approved);
    const lasting = await giveGrant(database.db, session, { scope: 'session' });
    expect(await checked(approved)).toEqual(allowedOn(lasting.id));
    await revokeGrant(database.db, lasting.id, { type: 'system', id: null });
    expect(await checked(approved)).toEqual(allowedOn(bound));
    expect(await checked({ ...approved, argumentsText: '{}' })).toEqual(allowedOn(free.id));
  });

  it('answers a repetition of its call as before, and never another call under that id', async () => {
    const id = await bindTo(approved);
    const callId = randomUUID();
    expect(await checked(approved, { callId })).toEqual(allowedOn(id));
    expect(await checked(approved, { callId })).toEqual(allowedOn(id));
    expect(await checked({ ...approved, argumentsText: '{}' }, { callId })).toEqual(refused);
    expect(await checked(approved, { callId, digest: null })).toEqual(refused);
    const { server, tool } = approved;
    expect([...(await checkStanding(database.db, session.id, [{ callId, server, tool }]))]).toEqual([]);
  });

  it('has one winner among equal calls, and none among others, round after round', async () => {
    for (let round = 0; round < 40; round += 1) {
      const id = await bindTo(approved);
      const other = { ...approved, argumentsText: `{"round":${round}}` };
      const answers = await Promise.all([approved, other, approved, other].map((call) => checked(call)));
      expect([answers[1]?.decision, answers[3]?.decision]).toEqual(['refused', 'refused']);
      expect([answers[0], answers[2]].filter((answer) => answer?.decision === 'allowed')).toEqual([
        allowedOn(id),
      ]);
    }
  });

  it('serves exactly the equal call, whichever two calls are compared', async () => {
    const anyCall = fc.record({
      server: fc.constantFrom('files', 'other'),
      tool: fc.constantFrom('write_file', 'edit_file'),
      entryVersion: fc.constantFrom(1, 2),
      argumentsText: fc.constantFrom('{}', '{"a":1}', '{"a":1.0}', '{"a":"1"}', '[1]'),
    });
    await checkAsyncProperty(
      fc.asyncProperty(anyCall, anyCall, async (bound, called) => {
        const id = await bindTo(bound);
        const isEqual = JSON.stringify(bound) === JSON.stringify(called);
        const answer = await checked(called);
        expect(answer.decision).toBe(isEqual ? 'allowed' : 'refused');
        expect((await consumedAt(id)) === null).toBe(!isEqual);
        await database.db('grants').where({ id }).delete();
      }),
      { runs: 60 },
    );
  });
});

describe('the database', () => {
  const broken = { code: sqlState.checkViolation };

  it.each([
    ['a lasting grant', { scope: 'persistent' }],
    ['what is no digest', { bound_call_digest: 'abc' }],
  ] as const)('binds no call to %s', async (_what, content) => {
    await expect(bindTo(approved, content)).rejects.toMatchObject(broken);
  });

  it('binds no call without its tool, and never changes the binding', async () => {
    const row = { ...grantFor(session, { bound_call_digest: digestOf(approved) }), details: '{}' };
    await expect(database.db('grants').insert(row)).rejects.toMatchObject(broken);
    const id = await bindTo(approved);
    for (const digest of [null, digestOf({ ...approved, tool: 'edit_file' })]) {
      await expect(
        database.db('grants').where({ id }).update({ bound_call_digest: digest }),
      ).rejects.toMatchObject(broken);
    }
  });

  it('refuses that a release which compares no digests uses a bound grant up', async () => {
    const id = await bindTo(approved);
    const other = digestOf({ ...approved, argumentsText: '{}' });
    for (const consumed_call_digest of [null, other]) {
      const used = { consumed_at: database.db.raw('now()'), consumed_call_digest };
      await expect(database.db('grants').where({ id }).update(used)).rejects.toMatchObject(broken);
    }
    const unused = { consumed_call_digest: digestOf(approved) };
    await expect(database.db('grants').where({ id }).update(unused)).rejects.toMatchObject(broken);
    expect(await checked(approved)).toEqual(allowedOn(id));
    const changed = database.db('grants').where({ id }).update({ consumed_call_digest: other });
    await expect(changed).rejects.toMatchObject(broken);
  });
});
