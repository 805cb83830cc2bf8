/** Groups of a real Keycloak give roles and take them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorkspace } from '../../../commands/workspaces/workspaces.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { renewNow } from '../../support/group-provider.ts';
import { SignInBrowser } from '../../support/sign-in-browser.ts';
import { type Realm, startLimitMs, startRealm } from './keycloak.ts';
import { signInAs } from './person.ts';
import { signInPrograms } from './sign-in-server.ts';

const publicUrl = 'http://localhost:4997';
const rules = [
  { value: 'team', workspace: 'acme', role: 'member' },
  { value: 'leads', workspace: 'acme', role: 'admin' },
];
const describeWithKeycloak = signInPrograms === null ? describe.skip : describe;

describeWithKeycloak('groups of a Keycloak', () => {
  let realm: Realm;
  let stopKeycloak: () => Promise<void>;
  let api: TestApi;

  beforeAll(async () => {
    ({ realm, stop: stopKeycloak } = await startRealm(await chooseTestPort()));
    await realm.create(['ida', 'ben'], 'http://127.0.0.1/unused');
    await realm.addPlatform('platform', 'client-secret', `${publicUrl}/api/auth/callback`);
    for (const group of ['staff', 'team', 'leads']) {
      await realm.addGroup(group);
    }
    api = await startTestApi({
      ...{ OIDC_ISSUER: realm.issuer, OIDC_CLIENT_ID: 'platform', OIDC_CLIENT_SECRET: 'client-secret' },
      ...{ OIDC_GROUP_RULES: JSON.stringify(rules), OIDC_MORE_SCOPES: 'offline_access' },
      PUBLIC_URL: publicUrl,
    });
    const ada = await api.person('Ada Admin');
    await createWorkspace(api.db, { slug: 'acme', name: 'Acme' }, ada.user);
  }, startLimitMs);
  afterAll(async () => {
    await api?.stop();
    await stopKeycloak?.();
  });

  async function signIn(person: string) {
    const browser = new SignInBrowser(api, publicUrl);
    const begun = await browser.go(`${publicUrl}/api/auth/sign-in`);
    const path = await signInAs(person, begun.headers.get('location') ?? '', publicUrl);
    expect(await browser.go(publicUrl + path)).toMatchObject({ status: 302 });
    return () => browser.go(`${publicUrl}/api/me`);
  }

  it('give the role at sign-in, another at a renewal, and take it at the next', async () => {
    // Keycloak leaves the claim out for who is in no group, which changes nothing.
    await realm.putInGroup('ida', 'staff');
    await realm.putInGroup('ida', 'team');
    const me = await signIn('ida');
    expect((await me()).body).toMatchObject({ workspaces: [{ slug: 'acme', role: 'member' }] });
    await realm.putInGroup('ida', 'leads');
    await renewNow(api);
    expect((await me()).body).toMatchObject({ workspaces: [{ slug: 'acme', role: 'admin' }] });
    await realm.takeOutOfGroup('ida', 'leads');
    await realm.takeOutOfGroup('ida', 'team');
    await renewNow(api);
    expect(await me()).toMatchObject({ status: 200, body: { workspaces: [] } });
  });

  it('end the sign-in of somebody whom it no longer lets in', async () => {
    await realm.putInGroup('ben', 'team');
    const me = await signIn('ben');
    await realm.disable('ben');
    await renewNow(api);
    expect(await me()).toMatchObject({ status: 401, body: { error: { code: 'sign_in_ended' } } });
  });
});
