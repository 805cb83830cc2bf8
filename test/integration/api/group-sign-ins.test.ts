/** How long a sign-in lasts whose groups a real identity provider is asked for again. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { refusedSeconds } from '../../../api/auth/renew-sign-ins.ts';
import { signInSeconds } from '../../../api/auth/session-cookie.ts';
import { movePerson } from '../../../commands/members/move-person.ts';
import {
  removeEndedRenewals,
  removeOtherRenewals,
  resealRenewals,
} from '../../../store/sign-ins/renewals.ts';
import { caller, startTestApi } from '../../support/api.ts';
import { publicUrl, useRuledApi } from '../../support/group-rules.ts';
import { SignInBrowser } from '../../support/sign-in-browser.ts';

const ruled = useRuledApi();
const { named, says, signIn, userId, refusedBefore, renew, roles, audited, put, signInsOf, holdsFor, leads } =
  ruled;

/** For JSON: bytes as the text that they may hold. */
const latin1 = (_name: string, value: unknown) => {
  const bytes = typeof value === 'object' && value !== null && 'data' in value ? value.data : null;
  return Array.isArray(bytes) ? Buffer.from(bytes).toString('latin1') : value;
};

describe('a sign-in', () => {
  it('that a provider does not answer for goes on for a while, and ends', async () => {
    const { me } = await signIn('ida');
    const holds = await holdsFor('ida');
    expect(holds).toBeLessThanOrEqual(75 * 60);
    expect(holds).toBeGreaterThan(70 * 60);
    ruled.idp.isAway = true;
    const { logged } = await renew();
    expect(logged).toContain('could not be renewed');
    expect(await me()).toMatchObject({ status: 200 });
    // As after the time that it holds for.
    await ruled.api
      .db('sign_ins')
      .whereIn('id', signInsOf('ida'))
      .update({ expires_at: ruled.api.db.fn.now() });
    expect(await me()).toMatchObject({
      status: 401,
      body: { error: { code: 'sign_in_ended', message: expect.stringContaining('in time') } },
    });
    ruled.idp.isAway = false;
    await renew();
    expect(await me()).toMatchObject({ status: 401 });
  });

  it('is extended by a renewal, and by none beyond 12 hours', async () => {
    await signIn('ida');
    const ofIda = () => ruled.api.db('sign_ins').whereIn('id', signInsOf('ida'));
    await ofIda().update({ expires_at: ruled.api.db.raw(`now() + interval '5 minutes'`) });
    await renew();
    expect(await holdsFor('ida')).toBeGreaterThan(70 * 60);
    await ofIda().update({ created_at: ruled.api.db.raw(`now() - interval '11 hours 50 minutes'`) });
    await renew();
    expect(await holdsFor('ida')).toBeLessThanOrEqual(10 * 60);
  });

  it('that the provider refuses to renew ends with a clear sentence, and its token is erased', async () => {
    const { me } = await signIn('ida');
    ruled.idp.gone.add(named('ida'));
    await renew();
    expect(await me()).toMatchObject({
      status: 401,
      body: { error: { code: 'sign_in_ended', message: expect.stringContaining('did not confirm') } },
    });
    const kept = await ruled.api
      .db('sign_in_renewals')
      .whereIn('sign_in_id', signInsOf('ida'))
      .select('sealed_value');
    expect(kept).toEqual([{ sealed_value: null }]);
    // The role is still theirs: who signed out at the provider is refused as well.
    expect(await roles()).toEqual({ [named('ida')]: ['member', 'rule'] });
    ruled.idp.gone.delete(named('ida'));
  });

  it('that the provider refuses to renew takes the roles after a day, but no last admin', async () => {
    await signIn('ida');
    await signIn('ben');
    await put('ben', 'member');
    ruled.idp.gone.add(named('ida')).add(named('ben'));
    await renew();
    const kept = { [named('ida')]: ['member', 'rule'], [named('ben')]: ['member', 'person'] };
    await refusedBefore('ida', refusedSeconds - 60);
    await renew();
    expect(await roles()).toEqual(kept);
    await ruled.api
      .db('members')
      .where({ user_id: await userId('ida') })
      .update({ role: 'admin' });
    await ruled.api.db('members').where({ user_id: ruled.ada.user.id }).delete();
    await refusedBefore('ida', refusedSeconds + 60);
    await removeEndedRenewals(ruled.api.db, signInSeconds);
    await renew({ times: 3 });
    const ida = await userId('ida');
    const ofIda = () => ruled.api.db('members').where({ user_id: ida });
    expect(await ofIda()).toHaveLength(1);
    expect(await audited('workspace.member.rules_held_back')).toMatchObject([
      { data: { reason: 'last_admin' } },
    ]);
    await ruled.api
      .db('members')
      .where({ user_id: await userId('ben') })
      .update({ role: 'admin' });
    await renew({ times: 3 });
    expect(await ofIda()).toEqual([]);
    expect(await audited('workspace.member.removed')).toHaveLength(1);
    ruled.idp.gone.clear();
  });

  it('that the provider refuses to renew takes nothing from who signs in again, or has another', async () => {
    const refused = await signIn('ida');
    ruled.idp.gone.add(named('ida'));
    await renew();
    ruled.idp.gone.clear();
    await refusedBefore('ida', refusedSeconds + 60);
    ruled.idp.givesRefreshTokens = false;
    await signIn('ida').finally(() => {
      ruled.idp.givesRefreshTokens = true;
    });
    await renew();
    expect(await roles()).toEqual({ [named('ida')]: ['member', 'rule'] });
    expect(await refused.me()).toMatchObject({ body: { error: { code: 'sign_in_ended' } } });

    await signIn('ben');
    await signIn('ben');
    const [first] = await signInsOf('ben');
    await ruled.api
      .db('sign_in_renewals')
      .where({ sign_in_id: first.id })
      .update({
        ...{ sealed_value: null, sealed_data_key: null, key_id: null, refusal_counts: true },
        refused_at: ruled.api.db.raw(`now() - interval '2 days'`),
      });
    await renew();
    expect(await roles()).toMatchObject({ [named('ben')]: ['member', 'rule'] });
  });

  it('is renewed by nothing of another provider, client or subject', async () => {
    await signIn('ida');
    const own = () => ruled.api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida'));
    const client = { issuer: ruled.idp.issuer, clientId: 'platform' };
    for (const change of [{ issuer: 'https://former.example' }, { client_id: 'former' }, { subject: 'x' }]) {
      await own().update(change);
      ruled.idp.asked.length = 0;
      await ruled.api.db('sign_in_renewals').whereNotIn('sign_in_id', signInsOf('ida')).delete();
      await renew();
      expect(ruled.idp.asked).toEqual([]);
      await own().update({ issuer: ruled.idp.issuer, client_id: 'platform', subject: named('ida') });
    }
    await renew();
    expect(ruled.idp.asked).toEqual(['refresh_token']);
    await removeOtherRenewals(ruled.api.db, client);
    expect(await own()).toHaveLength(1);
    await removeOtherRenewals(ruled.api.db, { ...client, clientId: 'other' });
    expect(await own()).toEqual([]);
    await signIn('ida');
    await removeOtherRenewals(ruled.api.db, null);
    expect(await own()).toEqual([]);
  });

  it('of a person who is moved is renewed by nothing', async () => {
    await signIn('ida');
    const [sign] = await signInsOf('ida');
    const from = { issuer: ruled.idp.issuer, subject: named('ida') };
    await movePerson(ruled.api.db, from, { ...from, subject: named('ida-again') }, false);
    expect(await ruled.api.db('sign_in_renewals').where({ sign_in_id: sign.id })).toEqual([]);
  });

  it('that has ended stays so, and its person still loses what they lost the group for', async () => {
    const { me, browser } = await signIn('ida');
    const cookie = `platform_session=${browser.cookies(ruled.api.url).get('platform_session') ?? ''}`;
    expect(await caller(ruled.api.url, cookie).send('POST', '/api/auth/sign-out')).toMatchObject({
      status: 200,
    });
    const kept = () =>
      ruled.api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida')).select('sign_in_id');
    await renew();
    await removeEndedRenewals(ruled.api.db, signInSeconds);
    expect(await kept()).toHaveLength(1);
    expect(await roles()).toEqual({ [named('ida')]: ['member', 'rule'] });
    says('ida', { groups: [] });
    await renew();
    expect(await roles()).toEqual({});
    await removeEndedRenewals(ruled.api.db, signInSeconds);
    expect(await kept()).toEqual([]);
    expect(await me()).toMatchObject({ status: 401 });
  });

  it('leaves one token of a person, however often they signed in', async () => {
    await signIn('ida');
    await signIn('ida');
    await ruled.api
      .db('sign_ins')
      .whereIn('id', signInsOf('ida'))
      .update({ expires_at: ruled.api.db.fn.now() });
    await removeEndedRenewals(ruled.api.db, signInSeconds);
    expect(await ruled.api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida'))).toHaveLength(1);
  });

  it('keeps its token sealed, and no log has it; under another master key it ends', async () => {
    const { me } = await signIn('ida');
    const own = async () => {
      const [row] = await ruled.api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida'));
      return row;
    };
    const { logged: before } = await renew();
    expect(ruled.idp.given.length).toBeGreaterThan(1);
    for (const token of ruled.idp.given) {
      expect(JSON.stringify(await own(), latin1)).not.toContain(token);
      expect(ruled.api.logged() + before).not.toContain(token);
    }
    const [was] = ruled.api.config.MASTER_KEYS;
    const newer = { id: 'newer', key: randomBytes(32) };
    const both = [newer, ...ruled.api.config.MASTER_KEYS];
    expect(await resealRenewals(ruled.api.db, both)).toMatchObject({ removed: 0 });
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
    await ruled.api.db('sign_in_renewals').whereNotIn('sign_in_id', signInsOf('ida')).delete();
    ruled.idp.spoilsNext = true;
    const { logged } = await renew();
    expect(logged).toContain('could not be renewed');
    expect(ruled.idp.spoilsNext).toBe(false);
    says('ida', { groups: [leads()] });
    await renew();
    expect((await me()).body).toMatchObject({ workspaces: [{ slug: ruled.slug, role: 'admin' }] });
  });

  it('without a refresh token lasts until the renewal would be due', async () => {
    ruled.idp.givesRefreshTokens = false;
    const { me } = await signIn('ida').finally(() => {
      ruled.idp.givesRefreshTokens = true;
    });
    expect(await holdsFor('ida')).toBeLessThanOrEqual(3600);
    expect(await ruled.api.db('sign_in_renewals').whereIn('sign_in_id', signInsOf('ida'))).toEqual([]);
    await ruled.api
      .db('sign_ins')
      .whereIn('id', signInsOf('ida'))
      .update({ expires_at: ruled.api.db.fn.now() });
    expect(await me()).toMatchObject({ status: 401, body: { error: { code: 'sign_in_ended' } } });
  });

  it('without rules lasts 12 hours, keeps no token and gives no role', async () => {
    const plain = await startTestApi({
      ...{ OIDC_ISSUER: ruled.idp.issuer, OIDC_CLIENT_ID: 'platform', OIDC_CLIENT_SECRET: 'client-secret' },
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
