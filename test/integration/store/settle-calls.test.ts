/**
 * A gated call that its check let pass is on record, whatever is lost after that: as it was reported, or
 * else as `unknown`, once.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { settleEnded } from '../../../activities/workloads/settle-ended.ts';
import { removeAgent } from '../../../commands/agents/archive.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { type CallRecord, toolCalledData } from '../../../contract/tool-call.ts';
import { type CheckedCall, checkAndConsume } from '../../../store/grants/check-and-consume.ts';
import { recordLeftCalls, recordToolCalls, settleCalls } from '../../../store/tool-calls/record.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { untilFound } from '../../support/eventually.ts';
import { callOf, freezeGates, giveGrant, passOn } from '../../support/granted.ts';
import { RecordingRuntime } from '../../support/recording-runtime.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let agent: Agent;
let session: Session;
let grantId: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  agent = await tenant.agent();
  session = await freezeGates(database.db, await tenant.session(agent), agent);
  grantId = (await giveGrant(database.db, session, { scope: 'persistent' })).id;
});
afterAll(() => database.drop());

const end = () => moveSession(database.db, session.id, { to: 'failed', reason: 'its node was lost' });
const settle = () => settleCalls(database.db, session.id);
async function passedCall(): Promise<CheckedCall> {
  const call = callOf(session);
  expect(await passOn(database.db, call)).toEqual({ grantId });
  return call;
}
const recordOf = ({ callId, server, tool }: CheckedCall, outcome: CallRecord['outcome']): CallRecord => ({
  call_id: callId,
  server,
  tool,
  started_at: new Date().toISOString(),
  duration_ms: 3,
  outcome,
});
const recorded = async () => {
  const rows = await database
    .db('audit_events')
    .where({ session_id: session.id, event: 'session.mcp.tool_called' })
    .orderBy('position');
  return rows.map(({ id, data }) => [id, data]);
};
const unknown = ({ callId, server, tool }: CheckedCall) => [
  callId,
  { name: server, tool, duration_ms: 0, granted_via: grantId, outcome: 'unknown' },
];
const outcomes = async () => (await recorded()).map(([id, data]) => [id, toolCalledData.parse(data).outcome]);

describe('a gated call that nobody reported', () => {
  it('is recorded as unknown once its session has ended, and only then, once', async () => {
    const call = await passedCall();
    await settle();
    expect(await recorded()).toEqual([]);
    await end();
    await settle();
    await settle();
    expect(await recorded()).toEqual([unknown(call)]);
    const row = await database
      .db('sessions')
      .where({ id: session.id })
      .first('recorded_calls', 'calls_settled_at');
    expect(row).toEqual({ recorded_calls: 1, calls_settled_at: expect.any(String) });
  });

  it('leaves reported ones as they are, and is not changed by a late report', async () => {
    const [reported, lost] = [await passedCall(), await passedCall()];
    await recordToolCalls(database.db, session, [recordOf(reported, 'ok')]);
    await end();
    await settle();
    await recordLeftCalls(database.db, session.id, [recordOf(lost, 'ok'), recordOf(reported, 'ok')]);
    expect(await outcomes()).toEqual([
      [reported.callId, 'ok'],
      [lost.callId, 'unknown'],
    ]);
  });

  it('is not recorded again after its record was removed because of its age', async () => {
    const call = await passedCall();
    await database
      .db('removed_call_ids')
      .insert({ call_id: call.callId, workspace_id: session.workspace_id });
    await end();
    await settle();
    expect(await recorded()).toEqual([]);
  });

  it('is no secret that the session started with', async () => {
    await database.db('grant_uses').insert({
      call_id: randomUUID(),
      grant_id: grantId,
      session_id: session.id,
      server: '',
      tool: 'TOKEN',
    });
    await end();
    await settle();
    expect(await recorded()).toEqual([]);
  });

  it('is recorded also when its grant was deleted', async () => {
    const call = await passedCall();
    await database.db('grants').where({ id: grantId }).delete();
    await end();
    await settle();
    expect(await recorded()).toEqual([unknown(call)]);
  });

  it('is recorded before its session is deleted with its agent', async () => {
    const call = await passedCall();
    await end();
    expect(await removeAgent(database.db, agent.id, tenant.ada.id)).toEqual({
      result: 'removed',
      pausedScheduleIds: [],
    });
    expect(await recorded()).toEqual([unknown(call)]);
    expect(await database.db('grant_uses').where({ session_id: session.id })).toEqual([]);
  });
});

describe('the worker’s sweep', () => {
  it('waits until nothing of the session is left: what its spool holds comes first', async () => {
    const runtime = new RecordingRuntime();
    const [spooled, lost] = [await passedCall(), await passedCall()];
    runtime.states.set(session.id, { state: 'running', containers: [] });
    await settleEnded({ db: database.db, runtime });
    await end();
    await settleEnded({ db: database.db, runtime });
    expect(await recorded()).toEqual([]);
    await recordLeftCalls(database.db, session.id, [recordOf(spooled, 'tool_error')]);
    await runtime.stop(session.id);
    await settleEnded({ db: database.db, runtime });
    await settleEnded({ db: database.db, runtime });
    expect(await outcomes()).toEqual([
      [spooled.callId, 'tool_error'],
      [lost.callId, 'unknown'],
    ]);
  });

  it('settles nothing while the runtime does not answer', async () => {
    const runtime = Object.assign(new RecordingRuntime(), { list: () => Promise.reject(new Error('away')) });
    await passedCall();
    await end();
    await expect(settleEnded({ db: database.db, runtime })).rejects.toThrow('away');
    expect(await recorded()).toEqual([]);
  });
});

describe('a check during the end of its session', () => {
  const untilBlocked = (query: string) =>
    untilFound('a statement to wait', async () => {
      const { rows } = await database.db.raw(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ilike ?`,
        [`%${query}%`],
      );
      return rows[0]?.pid as number | undefined;
    });

  it('that commits after the end is waited for, and its call is recorded', async () => {
    const call = callOf(session);
    const checking = await database.db.transaction();
    await checking('grant_uses').insert({
      call_id: call.callId,
      grant_id: grantId,
      session_id: session.id,
      server: call.server,
      tool: call.tool,
    });
    await end();
    const settling = settle();
    await untilBlocked('for update');
    await checking.commit();
    await settling;
    expect(await recorded()).toEqual([unknown(call)]);
  });

  it('that would let its call pass after that is refused, and uses nothing', async () => {
    await database.db('grants').where({ id: grantId }).delete();
    const { id } = await giveGrant(database.db, session);
    const holding = await database.db.transaction();
    await holding('grants').where({ id }).forUpdate().first('id');
    const checking = checkAndConsume(database.db, callOf(session));
    await untilBlocked('prior as materialized');
    await end();
    await settle();
    await holding.commit();
    expect(await checking).toMatchObject({ decision: 'refused', code: 'permission_required' });
    expect(await database.db('grants').where({ id })).toMatchObject([{ consumed_at: null }]);
    expect(await database.db('grant_uses').where({ session_id: session.id })).toEqual([]);
  });

  it('cannot record a use once the session has ended', async () => {
    await end();
    const use = { call_id: randomUUID(), grant_id: grantId, session_id: session.id, server: 's', tool: 't' };
    await expect(database.db('grant_uses').insert(use)).rejects.toThrow('has ended');
  });
});
