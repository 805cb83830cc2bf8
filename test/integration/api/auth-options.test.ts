import { afterEach, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';

const provider = {
  OIDC_ISSUER: 'https://identity.example',
  OIDC_CLIENT_ID: 'platform',
  PUBLIC_URL: 'http://127.0.0.1:1',
};

describe('the ways of signing in', () => {
  let api: TestApi;
  afterEach(() => api.stop());

  it('are public, with the demo users if demo sign-in is on', async () => {
    api = await startTestApi();
    const { user } = await api.person('Ada Admin');
    const options = await api.anonymous.ok('GET', '/api/auth/options');
    expect(options).toEqual({ oidc: false, demo_people: [{ email: user.email, name: 'Ada Admin' }] });
  });

  it('name no users if people sign in at an identity provider', async () => {
    api = await startTestApi({ ...provider, DEMO_SIGN_IN: 'false' });
    const options = await api.anonymous.ok('GET', '/api/auth/options');
    expect(options).toEqual({ oidc: true, demo_people: null });
  });
});
