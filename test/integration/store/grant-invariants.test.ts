import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { revokeGrant, revokeGrantsOfUserInWorkspace } from '../../../commands/grants/revoke.ts';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { hasSqlState, sqlState } from '../../../store/database.ts';
import { readGrantContexts } from '../../../store/grants/context.ts';
import {
  listActiveGrantsOfAgent,
  listActiveGrantsOfSession,
  listGrants,
  readGrant,
  readStoredGrant,
} from '../../../store/grants/read.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { callKeys, giveGrant, grantFor } from '../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let agent: Agent;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await createTenant(database.db, testMasterKeys());
  agent = await tenant.agent();
  session = await tenant.session(agent);
});
afterAll(() => database.drop());

const insertRow = (content: Record<string, unknown>) =>
  database.db('grants').insert({ ...grantFor(session), details: '{"scope":"files.write"}', ...content });
const failure = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => null,
    (error: unknown) => error,
  );
const refusedAs = async (work: PromiseLike<unknown>) => {
  const error = await failure(work);
  return Object.entries(sqlState).find(([, code]) => hasSqlState(error, code))?.[0];
};

describe('the database refuses a grant', () => {
  it.each([
    ['with both subjects', () => ({ user_subject_id: tenant.max.id })],
    ['with neither subject', () => ({ agent_subject_id: null })],
    ['of scope session without a session', () => ({ scope: 'session' })],
    ['of scope once with a session', () => ({ session_id: session.id })],
    ['of scope persistent with a session', () => ({ scope: 'persistent', session_id: session.id })],
    ['of an unknown scope', () => ({ scope: 'forever' })],
    ['whose details are no object', () => ({ details: '[]' })],
    [
      'to spawn that a user holds',
      () => ({ grant_type: 'spawn', agent_subject_id: null, user_subject_id: tenant.max.id }),
    ],
    [
      'that is consumed though it lasts',
      () => ({ scope: 'persistent', consumed_at: new Date().toISOString() }),
    ],
    ['bound to a call without a session', () => ({ bound_server: 'files' })],
  ])('%s', async (_what, content) => {
    expect(await refusedAs(insertRow(content()))).toBe('checkViolation');
  });

  it.each([
    ['an agent', 'agent_subject_id'],
    ['a session', 'session_id'],
  ] as const)('that refers to %s of another workspace', async (_what, column) => {
    const other = await createTenant(database.db, testMasterKeys());
    const theirAgent = await other.agent();
    const theirs = { agent_subject_id: theirAgent.id, session_id: (await other.session(theirAgent)).id };
    const scope = column === 'session_id' ? 'session' : 'once';
    expect(await refusedAs(insertRow({ scope, [column]: theirs[column] }))).toBe('foreignKeyViolation');
  });

  it('of unknown or missing details before they reach it', async () => {
    expect(await failure(giveGrant(database.db, session, { details: {} }))).toMatchObject({
      name: 'ZodError',
    });
    expect(
      await failure(giveGrant(database.db, session, { details: { scope: 'files.write', more: 1 } })),
    ).toMatchObject({ name: 'ZodError' });
  });
});

describe('a grant', () => {
  const changes: [string, () => unknown][] = [
    ['granted_at', () => new Date(0)],
    ['granted_by_user_id', () => tenant.ada.id],
    ['details', () => '{"scope":"files.remove"}'],
    ['reason', () => 'another'],
    ['scope', () => 'persistent'],
    ['agent_subject_id', async () => (await tenant.agent()).id],
    ['granted_by_role', () => 'admin'],
    ['bound_session_id', () => session.id],
  ];
  it.each(changes)('never changes its %s', async (column, value) => {
    const { id } = await giveGrant(database.db, session);
    const update = database
      .db('grants')
      .where({ id })
      .update({ [column]: await value() });
    expect(await refusedAs(update)).toBe('checkViolation');
  });

  it('is final once it is consumed or revoked', async () => {
    for (const column of ['consumed_at', 'revoked_at']) {
      const { id } = await giveGrant(database.db, session);
      await database
        .db('grants')
        .where({ id })
        .update({ [column]: database.db.fn.now() });
      const undo = database
        .db('grants')
        .where({ id })
        .update({ [column]: null });
      expect(await refusedAs(undo)).toBe('checkViolation');
    }
  });

  it('keeps its row, its audit event and its consumption when it is revoked, once', async () => {
    const grant = await giveGrant(database.db, session, { reason: 'because' });
    const by = { type: 'user', id: tenant.ada.id } as const;
    expect(await revokeGrant(database.db, grant.id, by)).toBe(true);
    const revoked = await readGrant(database.db, grant.id);
    expect(revoked).toEqual({ ...grant, revoked_at: expect.any(String) });
    expect(await revokeGrant(database.db, grant.id, by)).toBe(false);
    expect(await readGrant(database.db, grant.id)).toEqual(revoked);

    const used = await giveGrant(database.db, session);
    await database.db('grants').where({ id: used.id }).update({ consumed_at: new Date().toISOString() });
    expect(await revokeGrant(database.db, used.id, by)).toBe(false);
    expect(await readGrant(database.db, used.id)).toMatchObject({
      consumed_at: expect.any(String),
      revoked_at: null,
    });
  });

  it('has its full content in the audit trail when it is created and when it is revoked', async () => {
    const grant = await giveGrant(database.db, session, { reason: 'because' });
    await revokeGrant(database.db, grant.id, { type: 'user', id: tenant.ada.id });
    const events = await database.db('audit_events').where({ resource_id: grant.id }).orderBy('position');
    const data = { details: { scope: 'files.write' }, reason: 'because', granted_by_user_id: tenant.max.id };
    expect(events).toMatchObject([
      { event: 'grant.created', actor_id: tenant.max.id, data },
      { event: 'grant.revoked', actor_id: tenant.ada.id, data },
    ]);
  });

  it('written twice is one grant', async () => {
    const content = { id: randomUUID() };
    const first = await giveGrant(database.db, session, content);
    expect(await giveGrant(database.db, session, content)).toEqual(first);
    const created = await database.db('audit_events').where({ resource_id: first.id });
    expect(created).toHaveLength(1);
  });

  it('whose details do not parse is never used or counted, and can be listed and revoked', async () => {
    const lone = await tenant.agent();
    const theirs = await tenant.session(lone);
    const id = randomUUID();
    await insertRow({ id, agent_subject_id: lone.id, scope: 'persistent', details: '{"scope":"Files"}' });
    const good = await giveGrant(database.db, theirs, { scope: 'persistent' });
    expect(await readGrant(database.db, id)).toBeNull();
    expect(await listActiveGrantsOfSession(database.db, theirs.id, 'tool_scope')).toEqual([good]);
    const filter = { agentSubjectId: lone.id, includeRevoked: true };
    const listed = await listGrants(database.db, tenant.workspace.id, filter, { limit: 50 });
    expect(listed.items).toMatchObject([
      { ...good, readable: true },
      { id, readable: false, details: { scope: 'Files' } },
    ]);
    expect(await revokeGrant(database.db, id, { type: 'user', id: tenant.ada.id })).toBe(true);
    expect(await readStoredGrant(database.db, tenant.workspace.id, id)).toMatchObject({
      revoked_at: expect.any(String),
    });
    const [event] = await database.db('audit_events').where({ resource_id: id });
    expect(event).toMatchObject({ event: 'grant.revoked', data: { details: { scope: 'Files' } } });
    expect(event?.data).not.toHaveProperty('readable');
  });

  it('that is expired stays expired when it is revoked', async () => {
    const own = await tenant.agent();
    const theirs = await tenant.session(own);
    const held = { user_subject_id: tenant.max.id };
    const ofAgent = await giveGrant(database.db, theirs, { scope: 'session' });
    const ofUser = await giveGrant(database.db, theirs, { scope: 'session', ...held });
    await moveSession(database.db, theirs.id, { to: 'completed', reason: null });
    const by = { type: 'user', id: tenant.ada.id } as const;
    expect(await revokeGrant(database.db, ofAgent.id, by)).toBe(false);
    const workspaceId = tenant.workspace.id;
    await revokeGrantsOfUserInWorkspace(database.db, { workspaceId, userId: tenant.max.id, by });
    expect(await readGrant(database.db, ofAgent.id)).toEqual(ofAgent);
    expect(await readGrant(database.db, ofUser.id)).toEqual(ofUser);
    expect(await listActiveGrantsOfAgent(database.db, own.id)).toEqual([]);
  });

  it('covers a session until the session ends', async () => {
    const own = await tenant.agent();
    const theirs = await tenant.session(own);
    const grant = await giveGrant(database.db, theirs, { scope: 'session' });
    expect(await listActiveGrantsOfSession(database.db, theirs.id, 'tool_scope')).toEqual([grant]);
    await moveSession(database.db, theirs.id, { to: 'failed', reason: 'It broke' });
    expect(await listActiveGrantsOfSession(database.db, theirs.id, 'tool_scope')).toEqual([]);
  });
});

describe('removal', () => {
  const remains = async (id: string) => (await database.db('grants').where({ id }).first('id')) !== undefined;

  const remove = (table: string, id: string) => database.db(table).where({ id }).delete();

  it('of the agent that holds it removes the grant, and the audit trail keeps it', async () => {
    const own = await tenant.agent();
    const grant = await giveGrant(database.db, session, { agent_subject_id: own.id, scope: 'persistent' });
    const kept = await giveGrant(database.db, session, { scope: 'persistent' });
    await remove('agents', own.id);
    expect([await remains(grant.id), await remains(kept.id)]).toEqual([false, true]);
    expect(await database.db('audit_events').where({ resource_id: grant.id })).toHaveLength(1);
  });

  it('of the session that it is for removes the grant, for any holder', async () => {
    const theirs = await tenant.session(agent);
    const content = { scope: 'session', session_id: theirs.id } as const;
    const ofAgent = await giveGrant(database.db, theirs, content);
    const ofUser = await giveGrant(database.db, theirs, { ...content, user_subject_id: tenant.max.id });
    const kept = await giveGrant(database.db, session, { scope: 'session' });
    await remove('sessions', theirs.id);
    expect([await remains(ofAgent.id), await remains(ofUser.id), await remains(kept.id)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('of a user removes the grants that they hold, and none that they gave to others', async () => {
    const other = await createTenant(database.db, testMasterKeys());
    const theirs = await other.session(await other.agent());
    const own = await giveGrant(database.db, theirs, { user_subject_id: other.max.id, scope: 'persistent' });
    const given = await giveGrant(database.db, theirs, { scope: 'persistent' });
    const toAda = await giveGrant(database.db, theirs, {
      user_subject_id: other.ada.id,
      scope: 'persistent',
    });
    expect([own, given, toAda].map((grant) => grant.granted_by_user_id)).toEqual(Array(3).fill(other.max.id));
    await remove('users', other.max.id);
    expect(await remains(own.id)).toBe(false);
    expect(await readGrant(database.db, given.id)).toEqual(given);
    expect(await readGrant(database.db, toAda.id)).toEqual(toAda);
    const contexts = await readGrantContexts(database.db, [given.id]);
    expect(contexts.get(given.id)?.grantedBy).toEqual({ id: other.max.id, name: 'a deleted user' });
  });

  it.each(['once', 'persistent'] as const)(
    'of an agent leaves a %s grant of somebody else that answered its request, with the id of the request',
    async (scope) => {
      const asking = await tenant.session(await tenant.agent());
      const requestId = randomUUID();
      const asked = {
        request_id: requestId,
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope,
        justification: '',
        refused_call: { server: 'files', tool: 'write_file' },
      } as const;
      const limits = { openRequests: 10, denialMuteSeconds: 600, expirySeconds: 3600 };
      await askForPermission(database.db, callKeys, asking.id, asked, limits);
      const grant = await giveGrant(database.db, asking, {
        user_subject_id: tenant.max.id,
        scope,
        request_id: requestId,
      });
      await remove('agents', asking.agent_id);
      expect(await database.db('permission_requests').where({ id: requestId })).toEqual([]);
      expect(await readGrant(database.db, grant.id)).toEqual(grant);
      expect(grant.request_id).toBe(requestId);
    },
  );

  it('of a request before its grant is written leaves no grant that is bound to nothing', async () => {
    const approved = giveGrant(database.db, session, { request_id: randomUUID() });
    await expect(approved).rejects.toThrow('is not in workspace');
  });

  it('of a workspace removes everything in it', async () => {
    const other = await createTenant(database.db, testMasterKeys());
    const theirs = await other.session(await other.agent());
    const grant = await giveGrant(database.db, theirs);
    await database.db('workspaces').where({ id: other.workspace.id }).delete();
    expect(await remains(grant.id)).toBe(false);
  });

  it('of a member revokes what they hold in this workspace, and nothing else', async () => {
    const own = await tenant.session(agent);
    const held = await giveGrant(database.db, own, { user_subject_id: tenant.max.id, scope: 'persistent' });
    const ofAgent = await giveGrant(database.db, own, { scope: 'persistent' });
    await revokeGrantsOfUserInWorkspace(database.db, {
      workspaceId: tenant.workspace.id,
      userId: tenant.max.id,
      by: { type: 'user', id: tenant.ada.id },
    });
    expect((await readGrant(database.db, held.id))?.revoked_at).not.toBeNull();
    expect((await readGrant(database.db, ofAgent.id))?.revoked_at).toBeNull();
  });
});

describe('the list of grants', () => {
  it('pages newest first without losing or repeating one, whatever their times', async () => {
    const other = await createTenant(database.db, testMasterKeys());
    const theirs = await other.session(await other.agent());
    const made: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      made.push((await giveGrant(database.db, theirs)).id);
    }
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await listGrants(
        database.db,
        other.workspace.id,
        { includeRevoked: false },
        { limit: 3, ...(cursor ? { cursor } : {}) },
      );
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(made.reverse());
  });

  it('omits revoked grants unless requested', async () => {
    const other = await createTenant(database.db, testMasterKeys());
    const theirs = await other.session(await other.agent());
    const grant = await giveGrant(database.db, theirs);
    await revokeGrant(database.db, grant.id, { type: 'system', id: null });
    const list = (includeRevoked: boolean) =>
      listGrants(database.db, other.workspace.id, { includeRevoked }, { limit: 10 });
    expect((await list(false)).items).toEqual([]);
    expect((await list(true)).items.map(({ id }) => id)).toEqual([grant.id]);
  });
});
