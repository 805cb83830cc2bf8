/** Groups of a real identity provider give roles and take them, at sign-in and at its renewal. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { refusedSeconds } from '../../../api/auth/renew-sign-ins.ts';
import { signInSeconds } from '../../../api/auth/session-cookie.ts';
import { applyGroupRules } from '../../../commands/members/apply-rules.ts';
import { movePerson } from '../../../commands/members/move-person.ts';
import { createWorkspace } from '../../../commands/workspaces/workspaces.ts';
import type { Member, WorkspaceRole } from '../../../contract/workspace.ts';
import {
  removeEndedRenewals,
  removeOtherRenewals,
  resealRenewals,
} from '../../../store/sign-ins/renewals.ts';
import { caller, type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { giveGrant } from '../../support/granted.ts';
import { type GroupProvider, renewNow, startGroupProvider } from '../../support/group-provider.ts';
import { SignInBrowser } from '../../support/sign-in-browser.ts';
import { createTenant } from '../../support/tenant.ts';

const publicUrl = 'http://localhost:4998';
/** Each test has a workspace of its own: `team-1` are members of `ruled-1`, `leads-1` its admins. */
const rules = Array.from({ length: 30 }, (_, index) => [
  { value: `team-${index}`, workspace: `ruled-${index}`, role: 'member' },
  { value: `leads-${index}`, workspace: `ruled-${index}`, role: 'admin' },
]).flat();

let idp: GroupProvider;
let api: TestApi;
let ada: Person;
let n = 0;
let slug: string;

beforeAll(async () => {
  idp = await startGroupProvider(publicUrl);
  api = await startTestApi({
    OIDC_ISSUER: idp.issuer,
    OIDC_CLIENT_ID: 'platform',
    OIDC_CLIENT_SECRET: 'client-secret',
    OIDC_GROUP_RULES: JSON.stringify(rules),
    OIDC_MORE_SCOPES: 'groups',
    PUBLIC_URL: publicUrl,
  });
  ada = await api.person('Ada Admin');
});
beforeEach(async () => {
  n += 1;
  slug = `ruled-${n}`;
  idp.isAway = false;
  await createWorkspace(api.db, { slug, name: 'Ruled' }, ada.user);
});
afterAll(async () => {
  await api.stop();
  await idp.stop();
});

/** A person of this test alone. */
const named = (name: string) => `${name}-${n}`;
const [team, leads] = [() => `team-${n}`, () => `leads-${n}`];
const says = (name: string, claims: Record<string, unknown>) => idp.claims.set(named(name), claims);

async function signIn(name: string, claims: Record<string, unknown> = { groups: [team()] }) {
  says(name, claims);
  const browser = new SignInBrowser(api, publicUrl);
  const answer = await browser.go(await browser.reachCallback(named(name)));
  expect(answer).toMatchObject({ status: 302 });
  return { me: () => browser.go(`${publicUrl}/api/me`), browser };
}

const userId = async (name: string): Promise<string> =>
  (
    await api
      .db('users')
      .where({ subject: named(name) })
      .first('id')
  )?.id ?? '';

/** As if refusals were made so long ago. */
const refusedBefore = (name: string, seconds: number) =>
  api
    .db('sign_in_renewals')
    .whereIn('sign_in_id', signInsOf(name))
    .whereNotNull('refused_at')
    .update({ refused_at: api.db.raw('now() - make_interval(secs => ?)', [seconds]) });

/** For JSON: bytes as the text that they may hold. */
const latin1 = (_name: string, value: unknown) => {
  const bytes = typeof value === 'object' && value !== null && 'data' in value ? value.data : null;
  return Array.isArray(bytes) ? Buffer.from(bytes).toString('latin1') : value;
};

const renew = (how: Parameters<typeof renewNow>[1] = {}) => renewNow(api, how);

async function roles(): Promise<Record<string, [WorkspaceRole, string]>> {
  const { members } = await ada.ok<{ members: Member[] }>('GET', `/api/workspaces/${slug}/members`);
  const others = members.filter(({ user }) => user.id !== ada.user.id);
  return Object.fromEntries(
    others.map(({ user, role, made_by: madeBy }) => [user.name.split(' ').at(-1), [role, madeBy]]),
  );
}

async function audited(event: string) {
  const workspace = await api.db('workspaces').where({ slug }).first('id');
  return api
    .db('audit_events')
    .where({ workspace_id: workspace?.id ?? '', event })
    .orderBy('position')
    .select('actor_type', 'resource_id', 'data');
}

const put = async (name: string, role: WorkspaceRole) =>
  ada.ok('PUT', `/api/workspaces/${slug}/members/${await userId(name)}`, { role });

/** As if removals were made an hour earlier; the trail itself refuses changes. */
const anHourLater = () =>
  api.db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx('audit_events')
      .where({ event: 'workspace.member.removed' })
      .update({ recorded_at: trx.raw(`now() - interval '61 minutes'`) });
  });

describe('at sign-in', () => {
  it('groups give the highest role of a person, which says that a rule made it', async () => {
    const { me } = await signIn('ida', { groups: [team(), leads(), 'others', team()] });
    expect((await me()).body).toMatchObject({ workspaces: [{ slug, role: 'admin' }] });
    expect(await roles()).toEqual({ [named('ida')]: ['admin', 'rule'] });
    expect((await audited('workspace.member.added')).at(-1)).toEqual({
      actor_type: 'system',
      resource_id: await userId('ida'),
      data: { role: 'admin', by_rule: true },
    });
    await signIn('ida', { groups: [leads()] });
    expect(await audited('workspace.member.added')).toHaveLength(2);
  });

  it('the person who lost a group comes in without it', async () => {
    await signIn('ida');
    const { me } = await signIn('ida', { groups: [] });
    expect((await me()).body).toMatchObject({ workspaces: [] });
    expect(await roles()).toEqual({});
  });

  it('500 groups are read, and a workspace that does not exist is said to the operator', async () => {
    const others = Array.from({ length: 500 }, (_, index) => `other-${index}`);
    const { me } = await signIn('ida', { groups: [...others, team(), 'team-0'] });
    expect((await me()).body).toMatchObject({ workspaces: [{ slug, role: 'member' }] });
    expect(api.logged()).toMatch(/"workspaces":\["ruled-0"\].*unknown workspaces/);
  });

  it('nothing that the browser brings gives a role', async () => {
    says('mallory', { groups: [] });
    const forged = await new SignJWT({ groups: [leads()], sub: named('mallory') })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(randomBytes(32));
    const browser = new SignInBrowser(api, publicUrl);
    const callback = new URL(await browser.reachCallback(named('mallory')));
    callback.searchParams.set('groups', JSON.stringify([leads()]));
    callback.searchParams.set('claims', JSON.stringify({ groups: [leads()] }));
    expect(await browser.go(callback.href)).toMatchObject({ status: 302 });
    const withToken = new SignInBrowser(api, publicUrl);
    const second = new URL(await withToken.reachCallback(named('mallory')));
    second.searchParams.set('id_token', forged);
    // A token in the browser's hands is refused as such.
    const forgedAnswer = await withToken.go(second.href);
    expect(forgedAnswer).toMatchObject({ status: 401 });
    const asked = new SignInBrowser(api, publicUrl);
    const askForMore = (url: URL) => {
      url.searchParams.set('claims', JSON.stringify({ id_token: { groups: { values: [leads()] } } }));
    };
    const reached = await asked.reachCallback(named('mallory'), '/api/auth/sign-in', askForMore);
    expect(await asked.go(reached)).toMatchObject({ status: 302 });
    const begun = await withToken.go(`${publicUrl}/api/auth/sign-in?groups=${leads()}`);
    expect(begun.status).toBe(422);
    expect(await roles()).toEqual({});
  });
});

describe('what rules made', () => {
  it('nobody makes their own, but another admin may', async () => {
    const { browser } = await signIn('ida', { groups: [leads()] });
    const cookie = `platform_session=${browser.cookies(api.url).get('platform_session') ?? ''}`;
    const own = `/api/workspaces/${slug}/members/${await userId('ida')}`;
    for (const role of ['admin', 'member']) {
      expect(await caller(api.url, cookie).send('PUT', own, { role })).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden', message: expect.stringContaining('another admin') } },
      });
    }
    expect(await roles()).toEqual({ [named('ida')]: ['admin', 'rule'] });
    await put('ida', 'admin');
    expect(await roles()).toEqual({ [named('ida')]: ['admin', 'person'] });
  });

  it('is in no workspace that somebody makes because a rule names it', async () => {
    const made = await ada.send('POST', '/api/workspaces', { slug: 'ruled-29', name: 'Mine' });
    expect(made).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'slug', code: 'named_by_rule' }] } },
    });
    expect(await api.db('workspaces').where({ slug: 'ruled-29' })).toEqual([]);
  });
});

describe('at a renewal', () => {
  it('who left a group loses role, grants and sessions, and whose group holds stays signed in', async () => {
    const tenant = await createTenant(api.db, api.config.MASTER_KEYS);
    const session = await tenant.session(await tenant.agent());
    const held = { user_subject_id: tenant.max.id, granted_by_user_id: tenant.ada.id };
    const grant = await giveGrant(api.db, session, {
      ...{ ...held, granted_by_role: 'admin', scope: 'persistent' },
    });
    // Their workspace is the one of this test, and Max comes from the provider.
    await api
      .db('workspaces')
      .where({ slug })
      .update({ slug: `${slug}-other` });
    await api.db('workspaces').where({ id: tenant.workspace.id }).update({ slug });
    const identity = { issuer: idp.issuer, subject: named('max') };
    await api.db('users').where({ id: tenant.max.id }).update(identity);
    await api.db('members').where({ user_id: tenant.max.id }).update({ by_rule: true });
    const { me } = await signIn('max');
    const kim = await signIn('kim');
    const { told: before } = await renew();
    expect(before).toEqual([]);
    expect((await me()).body).toMatchObject({ workspaces: [{ slug }] });

    says('max', { groups: ['others'] });
    const { told } = await renew();
    expect((await me()).body).toMatchObject({ workspaces: [] });
    expect((await kim.me()).body).toMatchObject({ workspaces: [{ slug, role: 'member' }] });
    expect(await api.db('grants').where({ id: grant.id }).first('revoked_at')).toMatchObject({
      revoked_at: expect.any(String),
    });
    expect(told).toEqual([session.id]);
    const removed = await audited('workspace.member.removed');
    expect(removed).toMatchObject([{ actor_type: 'system', data: { role: 'member', by_rule: true } }]);
  });

  it('takes nothing that a person made, or made theirs', async () => {
    await signIn('ida', { groups: [] });
    await put('ida', 'member');
    await signIn('ben');
    await put('ben', 'member');
    const both = { [named('ida')]: ['member', 'person'], [named('ben')]: ['member', 'person'] };
    expect(await roles()).toEqual(both);
    says('ida', { groups: [leads()] });
    says('ben', { groups: [] });
    await renew({ config: { OIDC_RULE_REMOVALS_PERCENT: 100 } });
    expect(await roles()).toEqual(both);
    expect((await audited('workspace.member.role_changed')).at(-1)?.data).toEqual({
      ...{ from: 'member', role: 'member', made_by: 'person' },
    });
  });

  it('does not bring back whom a person removed; a new sign-in does', async () => {
    await signIn('ida');
    await ada.ok('DELETE', `/api/workspaces/${slug}/members/${await userId('ida')}`);
    await renew();
    expect(await roles()).toEqual({});
    await signIn('ida');
    expect(await roles()).toEqual({ [named('ida')]: ['member', 'rule'] });
  });

  it.each([
    ['claim_missing', {}],
    ['claim_cut_off', { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'x' } } }],
    ['claim_cut_off', { hasgroups: true }],
    ['claim_wrong_type', { groups: 'team' }],
    ['claim_wrong_type', { groups: [{ name: 'team' }] }],
  ])('changes nothing and says so where the claim is: %s %j', async (reason, claims) => {
    const { me } = await signIn('ida');
    says('ida', claims);
    const { logged } = await renew();
    await renew();
    expect((await me()).body).toMatchObject({ workspaces: [{ slug, role: 'member' }] });
    expect(logged).toContain(reason);
    expect(await audited('workspace.member.rules_held_back')).toEqual([
      { actor_type: 'system', resource_id: await userId('ida'), data: { reason } },
    ]);
  });

  it('never takes the last admin', async () => {
    const { me } = await signIn('ida', { groups: [leads()] });
    await api.db('members').where({ user_id: ada.user.id }).delete();
    for (const groups of [[], [team()]]) {
      says('ida', { groups });
      await renew({ config: { OIDC_RULE_REMOVALS_PERCENT: 100 } });
      expect((await me()).body).toMatchObject({ workspaces: [{ slug, role: 'admin' }] });
    }
    expect(await audited('workspace.member.rules_held_back')).toMatchObject([
      { data: { reason: 'last_admin' } },
    ]);
  });

  it('takes no more than a fifth of a workspace within an hour, whatever the provider says', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `p${index}`);
    for (const name of names) {
      await signIn(name);
    }
    for (const name of names) {
      says(name, { groups: [] });
    }
    const { logged } = await renew({ times: 3 });
    // Ten members with Ada.
    expect(Object.keys(await roles())).toHaveLength(7);
    expect(logged).toContain('too_many_changes');
    expect(await audited('workspace.member.rules_held_back')).toHaveLength(7);
    await renew();
    expect(Object.keys(await roles())).toHaveLength(7);
    await anHourLater();
    await renew();
    expect(Object.keys(await roles())).toHaveLength(6);
    await renew({ config: { OIDC_RULE_REMOVALS_PERCENT: 100 } });
    expect(await roles()).toEqual({});
  });

  it('is made once by several processes, each token used once', async () => {
    await signIn('ida');
    const others = await api.db('sign_in_renewals').whereNotIn('sign_in_id', signInsOf('ida')).delete();
    expect(others).toBeGreaterThan(0);
    idp.asked.length = 0;
    says('ida', { groups: [leads()] });
    await renew({ times: 5 });
    expect(idp.asked).toEqual(['refresh_token']);
    expect(await audited('workspace.member.role_changed')).toHaveLength(1);
    await renew();
    expect(idp.asked).toHaveLength(2);
  });

  it('is the same however often the rules are applied at once', async () => {
    await signIn('ida');
    const user = { id: await userId('ida'), email: 'ida@company.test' };
    const settings = { rules: api.config.OIDC_GROUP_RULES, lossPercent: 100, isRenewal: false };
    const apply = (...values: string[]) =>
      applyGroupRules(api.db, user, { values: new Set(values) }, settings);
    await Promise.all(Array.from({ length: 8 }, () => apply()));
    expect(await audited('workspace.member.removed')).toHaveLength(1);
    await Promise.all(Array.from({ length: 8 }, () => apply(leads())));
    expect(await roles()).toEqual({ [named('ida')]: ['admin', 'rule'] });
  });
});

const signInsOf = (name: string) =>
  api
    .db('sign_ins as s')
    .join('users as u', 'u.id', 's.user_id')
    .where('u.subject', named(name))
    .select('s.id');

/** For how many seconds the newest sign-in of a person holds from now. */
async function holdsFor(name: string): Promise<number> {
  const { rows } = await api.db.raw(
    `select extract(epoch from s.expires_at - now())::int as seconds from sign_ins s
     join users u on u.id = s.user_id where u.subject = ? order by s.created_at desc limit 1`,
    [named(name)],
  );
  return rows[0].seconds;
}

describe('a sign-in', () => {
  it('that a provider does not answer for goes on for a while, and ends', async () => {
    const { me } = await signIn('ida');
    const holds = await holdsFor('ida');
    expect(holds).toBeLessThanOrEqual(75 * 60);
    expect(holds).toBeGreaterThan(70 * 60);
    idp.isAway = true;
    const { logged } = await renew();
    expect(logged).toContain('could not be renewed');
    expect(await me()).toMatchObject({ status: 200 });
    // As after the time that it holds for.
    await api.db('sign_ins').whereIn('id', signInsOf('ida')).update({ expires_at: api.db.fn.now() });
    expect(await me()).toMatchObject({
      status: 401,
      body: { error: { code: 'sign_in_ended', message: expect.stringContaining('in time') } },
    });
    idp.isAway = false;
    await renew();
    expect(await me()).toMatchObject({ status: 401 });
  });

  it('is extended by a renewal, and by none beyond 12 hours', async () => {
    await signIn('ida');
    const ofIda = () => api.db('sign_ins').whereIn('id', signInsOf('ida'));
    await ofIda().update({ expires_at: api.db.raw(`now() + interval '5 minutes'`) });
    await renew();
    expect(await holdsFor('ida')).toBeGreaterThan(70 * 60);
    await ofIda().update({ created_at: api.db.raw(`now() - interval '11 hours 50 minutes'`) });
    await renew();
    expect(await holdsFor('ida')).toBeLessThanOrEqual(10 * 60);
  });

  it('that the provider refuses to renew ends with a clear sentence, and its token is erased', async () => {
    const { me } = await signIn('ida');
    idp.gone.add(named('ida'));
    await renew();
    expect(await me()).toMatchObject({
      status: 401,
      body: { error: { code: 'sign_in_ended', message: expect.stringContaining('did not confirm') } },
    });
    const kept = await api
      .db('sign_in_renewals')
      .whereIn('sign_in_id', signInsOf('ida'))
      .select('sealed_value');
    expect(kept).toEqual([{ sealed_value: null }]);
    // The role is still theirs: who signed out at the provider is refused as well.
    expect(await roles()).toEqual({ [named('ida')]: ['member', 'rule'] });
    idp.gone.delete(named('ida'));
  });

  it('that the provider refuses to renew takes the roles after a day, but no last admin', async () => {
    await signIn('ida');
    await signIn('ben');
    await put('ben', 'member');
    idp.gone.add(named('ida')).add(named('ben'));
    await renew();
    const kept = { [named('ida')]: ['member', 'rule'], [named('ben')]: ['member', 'person'] };
    await refusedBefore('ida', refusedSeconds - 60);
    await renew();
    expect(await roles()).toEqual(kept);
    await api
      .db('members')
      .where({ user_id: await userId('ida') })
      .update({ role: 'admin' });
    await api.db('members').where({ user_id: ada.user.id }).delete();
    await refusedBefore('ida', refusedSeconds + 60);
    await removeEndedRenewals(api.db, signInSeconds);
    await renew({ times: 3 });
    const ida = await userId('ida');
    const ofIda = () => api.db('members').where({ user_id: ida });
    expect(await ofIda()).toHaveLength(1);
    expect(await audited('workspace.member.rules_held_back')).toMatchObject([
      { data: { reason: 'last_admin' } },
    ]);
    await api
      .db('members')
      .where({ user_id: await userId('ben') })
      .update({ role: 'admin' });
    await renew({ times: 3 });
    expect(await ofIda()).toEqual([]);
    expect(await audited('workspace.member.removed')).toHaveLength(1);
    idp.gone.clear();
  });

  it('that the provider refuses to renew takes nothing from who signs in again, or has another', async () => {
    const refused = await signIn('ida');
    idp.gone.add(named('ida'));
    await renew();
    idp.gone.clear();
    await refusedBefore('ida', refusedSeconds + 60);
    idp.givesRefreshTokens = false;
    await signIn('ida').finally(() => {
      idp.givesRefreshTokens = true;
    });
    await renew();
    expect(await roles()).toEqual({ [named('ida')]: ['member', 'rule'] });
    expect(await refused.me()).toMatchObject({ body: { error: { code: 'sign_in_ended' } } });

    await signIn('ben');
    await signIn('ben');
    const [first] = await signInsOf('ben');
    await api
      .db('sign_in_renewals')
      .where({ sign_in_id: first.id })
      .update({
        ...{ sealed_value: null, sealed_data_key: null, key_id: null, refusal_counts: true },
        refused_at: api.db.raw(`now() - interval '2 days'`),
      });
    await renew();
    expect(await roles()).toMatchObject({ [named('ben')]: ['member', 'rule'] });
  });

  it('is renewed by nothing of another provider, client or subject', async () => {
    await signIn('ida');
    const own = () => api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida'));
    const client = { issuer: idp.issuer, clientId: 'platform' };
    for (const change of [{ issuer: 'https://former.example' }, { client_id: 'former' }, { subject: 'x' }]) {
      await own().update(change);
      idp.asked.length = 0;
      await api.db('sign_in_renewals').whereNotIn('sign_in_id', signInsOf('ida')).delete();
      await renew();
      expect(idp.asked).toEqual([]);
      await own().update({ issuer: idp.issuer, client_id: 'platform', subject: named('ida') });
    }
    await renew();
    expect(idp.asked).toEqual(['refresh_token']);
    await removeOtherRenewals(api.db, client);
    expect(await own()).toHaveLength(1);
    await removeOtherRenewals(api.db, { ...client, clientId: 'other' });
    expect(await own()).toEqual([]);
    await signIn('ida');
    await removeOtherRenewals(api.db, null);
    expect(await own()).toEqual([]);
  });

  it('of a person who is moved is renewed by nothing', async () => {
    await signIn('ida');
    const [sign] = await signInsOf('ida');
    const from = { issuer: idp.issuer, subject: named('ida') };
    await movePerson(api.db, from, { ...from, subject: named('ida-again') }, false);
    expect(await api.db('sign_in_renewals').where({ sign_in_id: sign.id })).toEqual([]);
  });

  it('that has ended stays so, and its person still loses what they lost the group for', async () => {
    const { me, browser } = await signIn('ida');
    const cookie = `platform_session=${browser.cookies(api.url).get('platform_session') ?? ''}`;
    expect(await caller(api.url, cookie).send('POST', '/api/auth/sign-out')).toMatchObject({ status: 200 });
    const kept = () =>
      api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida')).select('sign_in_id');
    await renew();
    await removeEndedRenewals(api.db, signInSeconds);
    expect(await kept()).toHaveLength(1);
    expect(await roles()).toEqual({ [named('ida')]: ['member', 'rule'] });
    says('ida', { groups: [] });
    await renew();
    expect(await roles()).toEqual({});
    await removeEndedRenewals(api.db, signInSeconds);
    expect(await kept()).toEqual([]);
    expect(await me()).toMatchObject({ status: 401 });
  });

  it('leaves one token of a person, however often they signed in', async () => {
    await signIn('ida');
    await signIn('ida');
    await api.db('sign_ins').whereIn('id', signInsOf('ida')).update({ expires_at: api.db.fn.now() });
    await removeEndedRenewals(api.db, signInSeconds);
    expect(await api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida'))).toHaveLength(1);
  });

  it('keeps its token sealed, and no log has it; under another master key it ends', async () => {
    const { me } = await signIn('ida');
    const own = async () => {
      const [row] = await api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida'));
      return row;
    };
    const { logged: before } = await renew();
    expect(idp.given.length).toBeGreaterThan(1);
    for (const token of idp.given) {
      expect(JSON.stringify(await own(), latin1)).not.toContain(token);
      expect(api.logged() + before).not.toContain(token);
    }
    const [was] = api.config.MASTER_KEYS;
    const newer = { id: 'newer', key: randomBytes(32) };
    const both = [newer, ...api.config.MASTER_KEYS];
    expect(await resealRenewals(api.db, both)).toMatchObject({ removed: 0 });
    expect((await own())?.key_id).toBe('newer');
    await renew({ config: { MASTER_KEYS: [newer] } });
    expect(await me()).toMatchObject({ status: 200 });
    const { logged } = await renew({
      config: { MASTER_KEYS: [{ id: was?.id ?? '', key: randomBytes(32) }] },
    });
    expect(logged).toContain('was not renewed, and ended');
    expect(await me()).toMatchObject({ status: 401, body: { error: { code: 'sign_in_ended' } } });
    await refusedBefore('ida', refusedSeconds + 60);
    await renew();
    expect(await roles()).toEqual({ [named('ida')]: ['member', 'rule'] });
  });

  it('goes on with the token that it got, whatever else is wrong with the answer', async () => {
    const { me } = await signIn('ida');
    await api.db('sign_in_renewals').whereNotIn('sign_in_id', signInsOf('ida')).delete();
    idp.spoilsNext = true;
    const { logged } = await renew();
    expect(logged).toContain('could not be renewed');
    expect(idp.spoilsNext).toBe(false);
    says('ida', { groups: [leads()] });
    await renew();
    expect((await me()).body).toMatchObject({ workspaces: [{ slug, role: 'admin' }] });
  });

  it('without a refresh token lasts until the renewal would be due', async () => {
    idp.givesRefreshTokens = false;
    const { me } = await signIn('ida').finally(() => {
      idp.givesRefreshTokens = true;
    });
    expect(await holdsFor('ida')).toBeLessThanOrEqual(3600);
    expect(await api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida'))).toEqual([]);
    await api.db('sign_ins').whereIn('id', signInsOf('ida')).update({ expires_at: api.db.fn.now() });
    expect(await me()).toMatchObject({ status: 401, body: { error: { code: 'sign_in_ended' } } });
  });

  it('without rules lasts 12 hours, keeps no token and gives no role', async () => {
    const plain = await startTestApi({
      ...{ OIDC_ISSUER: idp.issuer, OIDC_CLIENT_ID: 'platform', OIDC_CLIENT_SECRET: 'client-secret' },
      PUBLIC_URL: publicUrl,
    });
    says('ida', { groups: [leads()] });
    const browser = new SignInBrowser(plain, publicUrl);
    await browser.go(await browser.reachCallback(named('ida')));
    const { rows } = await plain.db.raw(
      'select extract(epoch from expires_at - created_at)::int as seconds from sign_ins',
    );
    expect(rows).toEqual([{ seconds: signInSeconds }]);
    expect(await plain.db('sign_in_renewals')).toEqual([]);
    expect(await plain.db('members')).toEqual([]);
    await plain.stop();
  });
});
