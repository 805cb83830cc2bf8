/** Groups of a real identity provider give roles and take them, at sign-in and at its renewal. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { applyGroupRules } from '../../../commands/members/apply-rules.ts';
import { caller } from '../../support/api.ts';
import { giveGrant } from '../../support/granted.ts';
import { publicUrl, useRuledApi } from '../../support/group-rules.ts';
import { SignInBrowser } from '../../support/sign-in-browser.ts';
import { createTenant } from '../../support/tenant.ts';

const ruled = useRuledApi();
const { named, says, signIn, userId, renew, roles, audited, put, anHourLater, signInsOf, team, leads } =
  ruled;

describe('at sign-in', () => {
  it('groups give the highest role of a person, which says that a rule made it', async () => {
    const { me } = await signIn('ida', { groups: [team(), leads(), 'others', team()] });
    expect((await me()).body).toMatchObject({ workspaces: [{ slug: ruled.slug, role: 'admin' }] });
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
    expect((await me()).body).toMatchObject({ workspaces: [{ slug: ruled.slug, role: 'member' }] });
    expect(ruled.api.logged()).toMatch(/"workspaces":\["ruled-0"\].*unknown workspaces/);
  });

  it('nothing that the browser brings gives a role', async () => {
    says('mallory', { groups: [] });
    const forged = await new SignJWT({ groups: [leads()], sub: named('mallory') })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(randomBytes(32));
    const browser = new SignInBrowser(ruled.api, publicUrl);
    const callback = new URL(await browser.reachCallback(named('mallory')));
    callback.searchParams.set('groups', JSON.stringify([leads()]));
    callback.searchParams.set('claims', JSON.stringify({ groups: [leads()] }));
    expect(await browser.go(callback.href)).toMatchObject({ status: 302 });
    const withToken = new SignInBrowser(ruled.api, publicUrl);
    const second = new URL(await withToken.reachCallback(named('mallory')));
    second.searchParams.set('id_token', forged);
    // A token in the browser's hands is refused as such.
    const forgedAnswer = await withToken.go(second.href);
    expect(forgedAnswer).toMatchObject({ status: 401 });
    const asked = new SignInBrowser(ruled.api, publicUrl);
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
    const cookie = `platform_session=${browser.cookies(ruled.api.url).get('platform_session') ?? ''}`;
    const own = `/api/workspaces/${ruled.slug}/members/${await userId('ida')}`;
    for (const role of ['admin', 'member']) {
      expect(await caller(ruled.api.url, cookie).send('PUT', own, { role })).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden', message: expect.stringContaining('another admin') } },
      });
    }
    expect(await roles()).toEqual({ [named('ida')]: ['admin', 'rule'] });
    await put('ida', 'admin');
    expect(await roles()).toEqual({ [named('ida')]: ['admin', 'person'] });
  });

  it('is in no workspace that somebody makes because a rule names it', async () => {
    const made = await ruled.ada.send('POST', '/api/workspaces', { slug: 'ruled-29', name: 'Mine' });
    expect(made).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'slug', code: 'named_by_rule' }] } },
    });
    expect(await ruled.api.db('workspaces').where({ slug: 'ruled-29' })).toEqual([]);
  });
});

describe('at a renewal', () => {
  it('who left a group loses role, grants and sessions, and whose group holds stays signed in', async () => {
    const tenant = await createTenant(ruled.api.db, ruled.api.config.MASTER_KEYS);
    const session = await tenant.session(await tenant.agent());
    const held = { user_subject_id: tenant.max.id, granted_by_user_id: tenant.ada.id };
    const grant = await giveGrant(ruled.api.db, session, {
      ...{ ...held, granted_by_role: 'admin', scope: 'persistent' },
    });
    // Their workspace is the one of this test, and Max comes from the provider.
    await ruled.api
      .db('workspaces')
      .where({ slug: ruled.slug })
      .update({ slug: `${ruled.slug}-other` });
    await ruled.api.db('workspaces').where({ id: tenant.workspace.id }).update({ slug: ruled.slug });
    const identity = { issuer: ruled.idp.issuer, subject: named('max') };
    await ruled.api.db('users').where({ id: tenant.max.id }).update(identity);
    await ruled.api.db('members').where({ user_id: tenant.max.id }).update({ by_rule: true });
    const { me } = await signIn('max');
    const kim = await signIn('kim');
    const { told: before } = await renew();
    expect(before).toEqual([]);
    expect((await me()).body).toMatchObject({ workspaces: [{ slug: ruled.slug }] });

    says('max', { groups: ['others'] });
    const { told } = await renew();
    expect((await me()).body).toMatchObject({ workspaces: [] });
    expect((await kim.me()).body).toMatchObject({ workspaces: [{ slug: ruled.slug, role: 'member' }] });
    expect(await ruled.api.db('grants').where({ id: grant.id }).first('revoked_at')).toMatchObject({
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
    await ruled.ada.ok('DELETE', `/api/workspaces/${ruled.slug}/members/${await userId('ida')}`);
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
    expect((await me()).body).toMatchObject({ workspaces: [{ slug: ruled.slug, role: 'member' }] });
    expect(logged).toContain(reason);
    expect(await audited('workspace.member.rules_held_back')).toEqual([
      { actor_type: 'system', resource_id: await userId('ida'), data: { reason } },
    ]);
  });

  it('never takes the last admin', async () => {
    const { me } = await signIn('ida', { groups: [leads()] });
    await ruled.api.db('members').where({ user_id: ruled.ada.user.id }).delete();
    for (const groups of [[], [team()]]) {
      says('ida', { groups });
      await renew({ config: { OIDC_RULE_REMOVALS_PERCENT: 100 } });
      expect((await me()).body).toMatchObject({ workspaces: [{ slug: ruled.slug, role: 'admin' }] });
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
    const others = await ruled.api.db('sign_in_renewals').whereNotIn('sign_in_id', signInsOf('ida')).delete();
    expect(others).toBeGreaterThan(0);
    ruled.idp.asked.length = 0;
    says('ida', { groups: [leads()] });
    await renew({ times: 5 });
    expect(ruled.idp.asked).toEqual(['refresh_token']);
    expect(await audited('workspace.member.role_changed')).toHaveLength(1);
    await renew();
    expect(ruled.idp.asked).toHaveLength(2);
  });

  it('is the same however often the rules are applied at once', async () => {
    await signIn('ida');
    const user = { id: await userId('ida'), email: 'ida@company.test' };
    const settings = { rules: ruled.api.config.OIDC_GROUP_RULES, lossPercent: 100, renewal: null };
    const apply = (...values: string[]) =>
      applyGroupRules(ruled.api.db, user, { values: new Set(values) }, settings);
    await Promise.all(Array.from({ length: 8 }, () => apply()));
    expect(await audited('workspace.member.removed')).toHaveLength(1);
    await Promise.all(Array.from({ length: 8 }, () => apply(leads())));
    expect(await roles()).toEqual({ [named('ida')]: ['admin', 'rule'] });
  });
});
