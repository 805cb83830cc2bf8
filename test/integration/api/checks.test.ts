/**
 * Many calls in one request: each is decided by itself, by the rules of a single check,
 * whatever its sidecar sends.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { checkCalls } from '../../../api/internal/check-call.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { callDigestKey } from '../../../contract/call-digest.ts';
import type { Session } from '../../../contract/session.ts';
import { type CheckAnswer, maxChecks } from '../../../contract/sidecar.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { frozenFor, giveGrant, replaceConfiguration } from '../../support/granted.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let admin: Person;
let member: Person;
let base: string;
let session: Session;
let other: Session;

beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
  session = await runningSession();
  other = await runningSession();
});

async function runningSession(): Promise<Session> {
  const { session: started, agent } = await api.runningSession(member, base);
  await replaceConfiguration(api.db, frozenFor(started, agent));
  return started;
}

const call = (content: object = {}) => ({
  call_id: randomUUID(),
  server: 'files',
  tool: 'write_file',
  ...content,
});
const calls = (count: number, content: object = {}) => Array.from({ length: count }, () => call(content));
const send = (checks: unknown[], of = session) =>
  api.asSidecar(of.id, 'POST', 'tool-calls/checks', { checks });
/** Asks again about the calls that are left out, as a sidecar does. */
const check = async (checks: { call_id: string }[], of = session): Promise<CheckAnswer[]> => {
  const answers = new Map<string, CheckAnswer>();
  while (answers.size < checks.length) {
    const { status, body } = await send(
      checks.filter(({ call_id }) => !answers.has(call_id)),
      of,
    );
    expect(status).toBe(200);
    const { answers: some } = body as { answers: { call_id: string; answer: CheckAnswer }[] };
    expect(some.length).toBeGreaterThan(0);
    for (const { call_id, answer } of some) {
      expect(answers.has(call_id)).toBe(false);
      answers.set(call_id, answer);
    }
  }
  return checks.flatMap(({ call_id }) => answers.get(call_id) ?? []);
};
const required = { decision: 'refused', code: 'permission_required', scope: 'files.write' };
const passedOn = ({ id }: { id: string }) => ({ decision: 'allowed', granted_via: id });
const uses = (grantId: string) => api.db('grant_uses').where({ grant_id: grantId });

it('passes all calls that a standing grant covers, each with its use on record', async () => {
  const grant = await giveGrant(api.db, session, { scope: 'persistent' });
  const asked = [...calls(maxChecks - 2), call({ tool: 'edit_file' }), call({ tool: 'remove' })];
  const answers = await check(asked);
  expect(answers.slice(0, -1)).toEqual(asked.slice(0, -1).map(() => passedOn(grant)));
  expect(answers.at(-1)).toEqual({ ...required, scope: 'files.remove' });
  const recorded = await uses(grant.id).select('call_id', 'tool');
  expect(recorded).toHaveLength(maxChecks - 1);
  expect(recorded).toContainEqual({ call_id: asked.at(-2)?.call_id, tool: 'edit_file' });
});

it('gives once grants to the first calls, and to no two the same', async () => {
  const [older, newer] = [await giveGrant(api.db, session), await giveGrant(api.db, session)];
  expect(await check(calls(4))).toEqual([passedOn(older), passedOn(newer), required, required]);
});

it('answers what passes before it decides on other calls, so that no allowance grows old', async () => {
  const lasting = await giveGrant(api.db, session, { scope: 'persistent' });
  const once = await giveGrant(api.db, session, { details: { scope: 'files.remove' } });
  const asked = [call({ tool: 'remove' }), call({ tool: 'remove' }), call(), call({ tool: 'remove' })];
  const answersTo = async (checks: object[]) => ((await send(checks)).body as { answers: object[] }).answers;
  expect(await answersTo(asked)).toEqual([{ call_id: asked[2]?.call_id, answer: passedOn(lasting) }]);
  const others = asked.filter(({ tool }) => tool === 'remove');
  expect(await answersTo(others)).toEqual([{ call_id: others[0]?.call_id, answer: passedOn(once) }]);
  expect(await answersTo(others.slice(1))).toHaveLength(2);
});

it('decides on calls one by one for a limited time, and on at least one', async () => {
  const asked = calls(3);
  const sidecar = { sessionId: session.id, requireOpen: async () => undefined };
  const dependencies = {
    db: api.db,
    log: pino({ level: 'silent' }),
    callDigestKey: callDigestKey(api.config.SESSION_KEY_SEED),
    limitMs: 0,
  };
  const { answers } = await checkCalls(dependencies, sidecar, asked);
  expect(answers).toEqual([{ call_id: asked[0]?.call_id, answer: required }]);
});

it('answers a repetition as before, and not on a grant that was revoked in between', async () => {
  const lasting = await giveGrant(api.db, session, { scope: 'persistent' });
  const asked = calls(3);
  const first = await check(asked);
  expect(await check(asked)).toEqual(first);
  expect(await uses(lasting.id)).toHaveLength(3);
  await admin.ok('DELETE', `${base}/grants/${lasting.id}`);
  const once = await giveGrant(api.db, session);
  expect(await check([...asked, call()])).toEqual([required, required, required, passedOn(once)]);
});

it('does not take over a use of another call with the same id', async () => {
  const grant = await giveGrant(api.db, session, { scope: 'persistent' });
  const asked = call();
  await check([asked, call()]);
  expect(await check([{ ...asked, tool: 'edit_file' }, call()])).toEqual([required, passedOn(grant)]);
  expect(await check([asked, call()], other)).toEqual([required, required]);
});

it('prefers what lasts, and keeps the rules of restricted scopes, sessions and holders', async () => {
  const ofSession = await giveGrant(api.db, session, { scope: 'session' });
  const persistent = await giveGrant(api.db, session, { scope: 'persistent' });
  expect(await check(calls(2))).toEqual([passedOn(persistent), passedOn(persistent)]);
  expect(await check(calls(2), other)).toEqual([required, required]);
  await admin.ok('DELETE', `${base}/grants/${persistent.id}`);
  expect(await check(calls(2))).toEqual([passedOn(ofSession), passedOn(ofSession)]);
  const ofUser = await giveGrant(api.db, session, { scope: 'persistent', user_subject_id: member.user.id });
  expect(await check(calls(2), other)).toEqual([passedOn(ofUser), passedOn(ofUser)]);
  const ofAdmin = { scope: 'persistent', user_subject_id: admin.user.id } as const;
  await giveGrant(api.db, session, { ...ofAdmin, details: { scope: 'files.remove' } });
  expect(await check(calls(2, { tool: 'remove' }))).toEqual(
    calls(2).map(() => ({ ...required, scope: 'files.remove' })),
  );
});

it('refuses a tool of another session, and a call that cannot be checked, by itself', async () => {
  const grant = await giveGrant(api.db, session, { scope: 'persistent' });
  await api.db('session_tools').where({ session_id: session.id, tool: 'remove' }).delete();
  const [passed, unknown, broken] = await check([
    call(),
    call({ server: 'notes' }),
    call({ tool: 'remove' }),
  ]);
  expect(passed).toEqual(passedOn(grant));
  expect(unknown).toEqual({ decision: 'refused', code: 'server_unavailable', scope: null });
  expect(broken).toEqual({ decision: 'refused', code: 'gate_unavailable', scope: null });
});

it('is refused with the same call twice, with too many calls, with none, and with what is no call', async () => {
  await giveGrant(api.db, session, { scope: 'persistent' });
  const one = call();
  for (const checks of [
    [one, { ...one, tool: 'remove' }],
    calls(maxChecks + 1),
    [],
    [{ ...one, scope: 'x' }],
  ]) {
    expect(await send(checks)).toMatchObject({ status: 422 });
  }
  expect(await api.db('grant_uses').where({ session_id: session.id })).toEqual([]);
});

it('is refused with the token of another session, and after the end of its own', async () => {
  await giveGrant(api.db, session, { scope: 'persistent' });
  const path = `/internal/sessions/${session.id}/tool-calls/checks`;
  const headers = { 'x-internal-token': api.token(other.id) };
  expect(await api.anonymous.send('POST', path, { checks: calls(2) }, headers)).toMatchObject({
    status: 401,
  });
  await moveSession(api.db, session.id, { to: 'completed', reason: null });
  expect(await send(calls(2))).toMatchObject({ status: 401 });
  expect(await api.db('grant_uses').where({ session_id: session.id })).toEqual([]);
});

it('passes nothing that is decided after the session ended in the middle', async () => {
  const held = await giveGrant(api.db, session, { details: { scope: 'files.remove' } });
  await giveGrant(api.db, session);
  const answered = await api.db.transaction(async (holder) => {
    // The first call waits for this row; the second has its turn after it.
    await holder('grants').where({ id: held.id }).forUpdate();
    const answer = check([call({ tool: 'remove' }), call()]);
    await eventually(async () => {
      const waiting = await api
        .db('pg_stat_activity')
        .where({ wait_event_type: 'Lock' })
        .andWhereRaw('datname = current_database()');
      expect(waiting).toHaveLength(1);
    });
    await api
      .db('sessions')
      .where({ id: session.id })
      .update({ status: 'completed', ended_at: new Date().toISOString() });
    return { answer };
  });
  expect((await answered.answer)[1]).toEqual(required);
});

it('skips a grant that is being revoked until that is decided, and does not delay a revoke', async () => {
  const grant = await giveGrant(api.db, session, { scope: 'persistent' });
  const answered = await api.db.transaction(async (holder) => {
    await holder('grants').where({ id: grant.id }).update({ revoked_at: new Date().toISOString() });
    return { answer: check(calls(2)) };
  });
  expect(await answered.answer).toEqual([required, required]);
});
