/** Records of tool calls are removed after their workspace's retention time, and their ids are not reused. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { updateWorkspace } from '../../../commands/workspaces/workspaces.ts';
import type { Session } from '../../../contract/session.ts';
import { recordRefusedCalls, recordToolCalls } from '../../../store/tool-calls/record.ts';
import { removeExpiredCalls } from '../../../store/tool-calls/remove-expired.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  session = await tenant.session(await tenant.agent());
});
afterAll(() => database.drop());

const callsOf = (count: number) =>
  Array.from({ length: count }, () => ({
    call_id: randomUUID(),
    server: 'files',
    tool: 'read_file',
    started_at: '2020-01-01T00:00:00.000Z',
    duration_ms: 1,
    outcome: 'ok' as const,
  }));
const countOf = (count: number) => ({
  count_id: randomUUID(),
  server: 'files',
  tool: 'write_file',
  outcome: 'refused' as const,
  minute: '2020-01-01T00:00:00.000Z',
  count,
});
const keepFor = (days: number | null) =>
  updateWorkspace(
    database.db,
    tenant.workspace.id,
    { settings: { tool_call_retention_days: days } },
    { type: 'user', id: tenant.ada.id },
  );
const recorded = () =>
  database.db('audit_events').where({ workspace_id: tenant.workspace.id, session_id: session.id });
/** Backdates events, which only a superuser's session can do. */
const age = (ids: string[], days: number) =>
  database.db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx('audit_events')
      .whereIn('id', ids)
      .update({ recorded_at: trx.raw('now() - make_interval(days => ?)', [days]) });
  });
const remove = (days: number, limit = 100) =>
  removeExpiredCalls(database.db, { workspaceId: tenant.workspace.id, days, limit });

describe('records of tool calls', () => {
  it('are removed by the age of the record, not by the sidecar’s time, in batches; nothing else is', async () => {
    const [old, fresh] = [callsOf(5), callsOf(2)];
    const count = countOf(7);
    await recordToolCalls(database.db, session, old);
    await recordRefusedCalls(database.db, session, [count]);
    await age(
      (await recorded()).map(({ id }) => id),
      40,
    );
    await recordToolCalls(database.db, session, fresh);
    await keepFor(30);
    expect([await remove(30, 3), await remove(30, 3), await remove(30, 3)]).toEqual([4, 2, 0]);
    const left = await recorded();
    expect(left.map(({ id }) => id)).toEqual(expect.arrayContaining(fresh.map(({ call_id }) => call_id)));
    expect(left.map(({ event }) => event).sort()).toEqual([
      'session.created',
      'session.mcp.tool_called',
      'session.mcp.tool_called',
    ]);
  });

  it('are not recorded again under an id whose record was removed', async () => {
    const calls = callsOf(2);
    const count = countOf(1);
    await recordToolCalls(database.db, session, calls);
    await recordRefusedCalls(database.db, session, [count]);
    await age([...calls.map(({ call_id }) => call_id), count.count_id], 31);
    await keepFor(30);
    await remove(30);
    await recordToolCalls(database.db, session, calls);
    await recordRefusedCalls(database.db, session, [count]);
    expect((await recorded()).map(({ event }) => event)).toEqual(['session.created']);
    const row = await database.db('sessions').where({ id: session.id }).first('recorded_calls');
    expect(row).toEqual({ recorded_calls: 3 });
  });

  it('cannot be removed while their workspace retains them', async () => {
    const calls = callsOf(1);
    await recordToolCalls(database.db, session, calls);
    const ids = calls.map(({ call_id }) => call_id);
    await age(ids, 40);
    const removeByHand = () => database.db('audit_events').whereIn('id', ids).delete();
    await expect(removeByHand()).rejects.toMatchObject({ code: '23514' });
    await expect(remove(30)).rejects.toMatchObject({ code: '23514' });
    await keepFor(50);
    await expect(removeByHand()).rejects.toMatchObject({ code: '23514' });
    await keepFor(30);
    expect(await removeByHand()).toBe(1);
  });

  it('are removed while calls are recorded: neither blocks the other', async () => {
    const old = callsOf(50);
    await recordToolCalls(database.db, session, old);
    await age(
      old.map(({ call_id }) => call_id),
      40,
    );
    await keepFor(30);
    const other = await database.db.transaction();
    try {
      await removeExpiredCalls(other, { workspaceId: tenant.workspace.id, days: 30, limit: 10 });
      // Its transaction is open: what it removes is locked, and nothing else is.
      await recordToolCalls(database.db, session, callsOf(5));
      expect(await remove(30, 20)).toBe(20);
    } finally {
      await other.commit();
    }
    expect(await remove(30)).toBe(20);
  });

  it('are counted for their session, each once', async () => {
    const calls = callsOf(3);
    await recordToolCalls(database.db, session, calls);
    await recordToolCalls(database.db, session, calls);
    const row = await database.db('sessions').where({ id: session.id }).first('recorded_calls');
    expect(row).toEqual({ recorded_calls: 3 });
  });
});
