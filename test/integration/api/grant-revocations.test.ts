/**
 * Several grants revoked at once, for three people: an admin, a member whose sessions run under them, and a
 * member who owns none of that.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { RevocationResult, SessionsUnder } from '../../../contract/grant-list.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { callOf, frozenFor, giveGrant, passOn, replaceConfiguration } from '../../support/granted.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let workspace: Workspace;
let admin: Person;
let member: Person;
let other: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
  await replaceConfiguration(api.db, frozenFor(session, agent));
  other = await api.person('Olga Other');
  await api.join(workspace, other, 'member');
});

type Preview = { grant: { id: string; may_revoke: boolean } } & SessionsUnder;
const preview = async (person: Person, ids: readonly string[]) =>
  (await person.ok<{ grants: Preview[] }>('GET', `${base}/grant-revocations?grant_ids=${ids.join(',')}`))
    .grants;
const revoke = async (person: Person, ids: readonly string[]) =>
  (
    await person.ok<{ revocations: RevocationResult[] }>('POST', `${base}/grant-revocations`, {
      grant_ids: ids,
    })
  ).revocations.map(({ grant_id: id, outcome }) => [id, outcome]);
const idsOf = async (query: string) =>
  (await member.ok<{ grants: { id: string }[] }>('GET', `${base}/grants?${query}`)).grants.map(
    ({ id }) => id,
  );
const lasting = (content = {}) => giveGrant(api.db, session, { scope: 'persistent', ...content });
const revocations = () =>
  api.db('audit_events').where({ workspace_id: workspace.id, event: 'grant.revoked' }).pluck('resource_id');

it('shows what runs under each grant, as far as the person may read it, also by count', async () => {
  const [used, unused] = [await lasting(), await lasting({ user_subject_id: member.user.id })];
  await passOn(api.db, callOf(session));
  await passOn(api.db, callOf(session));
  const named = { id: session.id, agent: { id: agent.id, name: agent.name } };
  const ids = [used.id, unused.id];
  for (const person of [admin, member]) {
    expect(await preview(person, ids)).toMatchObject([
      { grant: { id: used.id }, running_count: 1, running_sessions: [named] },
      { grant: { id: unused.id }, running_count: 0, running_sessions: [] },
    ]);
  }
  expect(await preview(other, ids)).toMatchObject([
    { running_count: 0, running_sessions: [] },
    { running_count: 0, running_sessions: [] },
  ]);
  // Another session that uses it all the time hides none.
  const busy = await api.db('sessions').insert(
    {
      ...{ workspace_id: workspace.id, agent_id: agent.id, prompt: 'Busy' },
      ...{ operator_id: member.user.id, root_operator_id: member.user.id },
    },
    'id',
  );
  await api.db.raw(
    `insert into grant_uses (call_id, grant_id, session_id, server, tool)
     select gen_random_uuid(), ?, ?, 'files', 'write_file' from generate_series(1, 300)`,
    [used.id, busy[0]?.id ?? null],
  );
  expect(await preview(admin, [used.id])).toMatchObject([{ running_count: 2 }]);
  const stranger = await api.workspace();
  const path = `${stranger.base}/grant-revocations?grant_ids=${used.id}`;
  expect(await stranger.admin.ok('GET', path)).toEqual({ grants: [] });
});

it('revokes each on its own, records each once, and says of each what happened', async () => {
  const [first, second] = [await lasting(), await lasting({ user_subject_id: member.user.id })];
  const nobody = randomUUID();
  expect(await revoke(member, [first.id, second.id, nobody])).toEqual([
    [first.id, 'refused'],
    [second.id, 'revoked'],
    [nobody, 'not_found'],
  ]);
  expect(await idsOf('state=active')).toEqual([first.id]);
  expect(await revoke(admin, [second.id, first.id, first.id])).toEqual([
    [second.id, 'already_ended'],
    [first.id, 'revoked'],
  ]);
  expect((await revocations()).sort()).toEqual([first.id, second.id].sort());
  expect(await passOn(api.db, callOf(session))).toBeNull();
  expect(await revoke(other, [first.id])).toEqual([[first.id, 'already_ended']]);
  const elsewhere = await api.workspace();
  expect(
    await elsewhere.admin.ok('POST', `${elsewhere.base}/grant-revocations`, { grant_ids: [first.id] }),
  ).toMatchObject({ revocations: [{ outcome: 'not_found' }] });
});

it('leaves the others revoked where one cannot be', async () => {
  const grants = [await lasting(), await lasting(), await lasting()];
  const [first, broken, last] = grants.map(({ id }) => id);
  await api.db.raw(`
    create function refuse_one() returns trigger language plpgsql as $$
    begin
      if new.id = '${broken}' then raise exception 'not now'; end if;
      return new;
    end $$;
    create trigger refuse_one before update on grants for each row execute function refuse_one()`);
  try {
    expect(await revoke(admin, [first ?? '', broken ?? '', last ?? ''])).toEqual([
      [first, 'revoked'],
      [broken, 'failed'],
      [last, 'revoked'],
    ]);
  } finally {
    await api.db.raw('drop trigger refuse_one on grants; drop function refuse_one()');
  }
  expect(await idsOf('state=active')).toEqual([broken]);
  expect((await revocations()).sort()).toEqual([first, last].sort());
  expect(await revoke(admin, [broken ?? ''])).toEqual([[broken, 'revoked']]);
});

it('lists grants by how far they reach, who made them, their end, and their last use', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const byWidth = {
    once: await giveGrant(api.db, session),
    session: await giveGrant(api.db, session, { scope: 'session' }),
    until: await lasting({ expires_at: soon }),
    persistent: await lasting({ granted_by_user_id: admin.user.id }),
  };
  for (const [width, { id }] of Object.entries(byWidth)) {
    expect([width, await idsOf(`state=active&width=${width}`)]).toEqual([width, [id]]);
  }
  expect(await idsOf('width=exact_call')).toEqual([]);
  expect(await idsOf(`granted_by=${admin.user.id}`)).toEqual([byWidth.persistent.id]);
  expect(await idsOf('state=active&ends_within_days=7')).toEqual([byWidth.until.id]);
  expect(await idsOf('state=active&unused_days=90')).toEqual([]);
  for (const query of ['unused_days=90', 'state=revoked&include_revoked=true&ends_within_days=7']) {
    expect(await member.send('GET', `${base}/grants?${query}`)).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'state' }] } },
    });
  }
  await api.db.transaction(async (trx) => {
    await trx.raw('alter table grants disable trigger grants_audit_side');
    await trx('grants')
      .where({ workspace_id: workspace.id })
      .update({ granted_at: trx.raw(`granted_at - interval '91 days'`) });
    await trx.raw('alter table grants enable trigger grants_audit_side');
  });
  expect((await idsOf('state=active&unused_days=90')).length).toBe(4);
  await passOn(api.db, callOf(session));
  expect((await idsOf('state=active&unused_days=90')).length).toBe(3);
});

it('takes at most 50 ids, and nothing else', async () => {
  const many = Array.from({ length: 51 }, () => randomUUID());
  expect(await admin.send('POST', `${base}/grant-revocations`, { grant_ids: many })).toMatchObject({
    status: 422,
  });
  for (const list of ['x', '', many.join(',')]) {
    const answer = await admin.send('GET', `${base}/grant-revocations?grant_ids=${list}`);
    expect(answer).toMatchObject({ status: 422 });
  }
});
