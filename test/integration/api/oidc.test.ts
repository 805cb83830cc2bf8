import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { quietConsole } from '../../support/quiet-console.ts';
import { SignInBrowser } from '../../support/sign-in-browser.ts';

const publicUrl = 'http://localhost:4999';
let api: TestApi;
let idp: { server: Server; issuer: string };
const warnAgain = quietConsole();

beforeAll(async () => {
  idp = await startProvider();
  api = await startTestApi({
    OIDC_ISSUER: idp.issuer,
    OIDC_CLIENT_ID: 'platform',
    OIDC_CLIENT_SECRET: 'client-secret',
    PUBLIC_URL: publicUrl,
    DEMO_SIGN_IN: 'false',
  });
});
afterAll(async () => {
  warnAgain();
  await api.stop();
  idp.server.closeAllConnections();
  await new Promise((resolve) => idp.server.close(resolve));
});

/** Whose names show nothing, or not what they are. */
const odd: Record<string, { name: string; username?: string }> = {
  'nameless-nell': { name: '' },
  'blank-bea': { name: ' \u200b\u2060', username: 'bea' },
  'reversed-rob': { name: '\u202eRob\u200b Admin ' },
};

/**
 * A real provider with its development sign-in form: any name signs in as that subject. The client may
 * authenticate by `method` alone.
 */
async function startProvider(
  method: 'client_secret_post' | 'client_secret_basic' = 'client_secret_post',
  methods: readonly ('client_secret_post' | 'client_secret_basic')[] = [
    'client_secret_basic',
    'client_secret_post',
  ],
) {
  const { default: Provider } = await import('oidc-provider');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'platform',
        client_secret: 'client-secret',
        token_endpoint_auth_method: method,
        redirect_uris: [`${publicUrl}/api/auth/callback`],
      },
    ],
    clientAuthMethods: [...methods],
    pkce: { required: () => true },
    // ID tokens have them, too.
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: async (use) =>
        id === 'mallory' && use === 'id_token'
          ? { sub: id, email: 'victim@company.test', name: 'Mallory' }
          : {
              sub: id,
              email: `${id}@company.test`,
              email_verified: id.startsWith('verified') || id === 'mallory',
              name: odd[id]?.name ?? `Name of ${id}`,
              preferred_username: odd[id]?.username,
            },
    }),
    cookies: { keys: ['test'] },
  });
  server.on('request', provider.callback());
  return { server, issuer };
}

/** One that has started to use `settings`, until `work` is done. */
async function withApi(
  settings: Record<string, string>,
  work: (other: TestApi) => Promise<void>,
): Promise<void> {
  const other = await startTestApi({
    OIDC_CLIENT_ID: 'platform',
    OIDC_CLIENT_SECRET: 'client-secret',
    PUBLIC_URL: publicUrl,
    DEMO_SIGN_IN: 'false',
    ...settings,
  });
  await work(other).finally(() => other.stop());
}

/** A browser at this API, unless another is named. */
class Browser extends SignInBrowser {
  constructor(platform: Pick<TestApi, 'url'> = api) {
    super(platform, publicUrl);
  }
}

describe('signing in at an identity provider', () => {
  it('creates the user, sets the cookie and returns to the original page', async () => {
    const browser = new Browser();
    const answer = await browser.go(await browser.reachCallback('ida'));
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/app/agents');
    const me = await browser.go(`${publicUrl}/api/me`);
    expect(me.body).toEqual({
      user: { id: expect.any(String), email: 'ida@company.test', name: 'Name of ida' },
      workspaces: [],
    });
    expect(await api.db('users').where({ subject: 'ida' }).select('issuer')).toEqual([
      { issuer: idp.issuer },
    ]);

    const again = new Browser();
    await again.go(await again.reachCallback('ida'));
    expect((await again.go(`${publicUrl}/api/me`)).body).toEqual(me.body);
  });

  it.each([
    ['nameless-nell', 'nameless-nell@company.test'],
    ['blank-bea', 'bea'],
    ['reversed-rob', 'Rob Admin'],
  ])('names a person by the first claim that shows something: %s', async (subject, name) => {
    const browser = new Browser();
    await browser.go(await browser.reachCallback(subject));
    expect(await api.db('users').where({ subject }).first('name')).toEqual({ name });
  });

  it('stores whether the provider verified the e-mail address', async () => {
    for (const name of ['verified-vera', 'ida']) {
      const browser = new Browser();
      await browser.go(await browser.reachCallback(name));
      expect(await api.db('users').where({ subject: name }).first('email_verified')).toEqual({
        email_verified: name === 'verified-vera',
      });
    }
  });

  it('does not take for verified what another answer of the provider says of another address', async () => {
    const browser = new Browser();
    await browser.go(await browser.reachCallback('mallory'));
    expect(await api.db('users').where({ subject: 'mallory' }).first('email', 'email_verified')).toEqual({
      email: 'victim@company.test',
      email_verified: false,
    });
  });

  it('uses PKCE, state and nonce, which the browser sees in the authorization request only', async () => {
    const browser = new Browser();
    const answer = await browser.go(`${publicUrl}/api/auth/sign-in`);
    const { searchParams } = new URL(answer.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      redirect_uri: `${publicUrl}/api/auth/callback`,
      response_type: 'code',
      scope: 'openid email profile',
    });
    expect(searchParams.get('state')?.length).toBeGreaterThan(20);
    expect(searchParams.get('nonce')?.length).toBeGreaterThan(20);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^platform_sign_in_\w{9}_[\w-]{16}=.*path=\/api\/auth;.*samesite=lax; httponly$/);
    expect(cookie).not.toContain(searchParams.get('state'));
  });

  it('takes a person for proven only where the provider asked them since the sign-in began', async () => {
    const browser = new Browser();
    const proven = async () => {
      const ofPia = api.db('users').where({ subject: 'proven-pia' }).select('id');
      return api.db('sign_ins').whereIn('user_id', ofPia).whereNotNull('proven_at');
    };
    await browser.go(await browser.reachCallback('proven-pia'));
    expect(await proven()).toEqual([]);
    const start = '/api/auth/sign-in?again=true&return_to=/_/passkeys';
    const answer = await browser.go(await browser.reachCallback('proven-pia', start));
    expect(answer.headers.get('location')).toBe('/_/passkeys');
    expect(await proven()).toHaveLength(1);
    const second = Math.floor(Date.now() / 1000);
    await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(second));
    for (const maxAge of [null, '9999']) {
      // Whoever begins it in the person's browser leaves out what would ask them.
      const silently = (url: URL) => {
        url.searchParams.delete('prompt');
        url.searchParams.delete('max_age');
        if (maxAge !== null) {
          url.searchParams.set('max_age', maxAge);
        }
      };
      const callback = await browser.reachCallback('proven-pia', start, silently);
      expect(await browser.go(callback)).toMatchObject({ status: 401 });
    }
    expect(await proven()).toHaveLength(1);
  });

  it('refuses a callback that another browser began, or a second one', async () => {
    const browser = new Browser();
    const callback = await browser.reachCallback('ida');
    const victim = new Browser();
    await victim.go(`${publicUrl}/api/auth/sign-in`);
    expect(await victim.go(callback)).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthenticated' } },
    });
    expect(await new Browser().go(callback)).toMatchObject({ status: 401 });
    const taken = await browser.go(callback);
    expect(taken.status).toBe(302);
    expect(taken.headers.getSetCookie().join()).toMatch(
      /platform_sign_in_[\w-]+=; [^,]*expires=Thu, 01 Jan 1970/,
    );
    expect(await browser.go(callback)).toMatchObject({ status: 401 });
  });

  it('lets two tabs of one browser sign in at once, and keeps five that were begun', async () => {
    const browser = new Browser();
    const [first, second] = [await browser.reachCallback('ida'), await browser.reachCallback('ida')];
    expect((await browser.go(first)).status).toBe(302);
    expect((await browser.go(second)).status).toBe(302);

    const left = new Browser();
    const begun: string[] = [];
    for (let tab = 0; tab < 6; tab += 1) {
      begun.push(await left.reachCallback('ida'));
    }
    const flows = [...left.cookies(api.url).keys()].filter((name) => name.startsWith('platform_sign_in_'));
    expect(flows).toHaveLength(5);
    const statuses: number[] = [];
    for (const callback of begun) {
      statuses.push((await left.go(callback)).status);
    }
    expect(statuses).toEqual([401, 302, 302, 302, 302, 302]);
  });

  it('keeps the cookies of sign-ins that were begun below what a server takes as headers', async () => {
    const browser = new Browser();
    for (let tab = 0; tab < 8; tab += 1) {
      const answer = await browser.go(`${publicUrl}/api/auth/sign-in?return_to=/${'a'.repeat(1990)}`);
      expect(answer.status).toBe(302);
    }
    const sent = [...browser.cookies(api.url)].map(([name, value]) => `${name}=${value}`).join('; ');
    expect(sent.length).toBeLessThan(10_000);
  });

  it('shows a browser a page with a way back where a sign-in fails, and a program JSON', async () => {
    const path = '/api/auth/callback?error=access_denied&state=<script>';
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await api.anonymous.send('GET', path, undefined, { accept });
    expect(page.status).toBe(401);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).toContain('<a href="/">');
    expect(page.text).toContain('start it again');
    expect(page.text).not.toContain('<script>');
    expect(await api.anonymous.send('GET', path, undefined, { accept: '*/*' })).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthenticated' } },
    });
  });

  it.each([
    ['client_secret_basic', ['client_secret_basic']],
    ['client_secret_basic', ['client_secret_basic', 'client_secret_post']],
    ['client_secret_post', ['client_secret_post']],
  ] as const)('authenticates by %s where the provider takes %j', async (method, methods) => {
    const other = await startProvider(method, methods);
    await withApi({ OIDC_ISSUER: other.issuer }, async (platform) => {
      for (const name of ['ida', 'ben']) {
        const browser = new Browser(platform);
        expect((await browser.go(await browser.reachCallback(name))).status).toBe(302);
      }
    });
    other.server.close();
  });

  it('refuses a callback whose state or code was changed', async () => {
    for (const parameter of ['state', 'code', 'iss']) {
      const browser = new Browser();
      const callback = new URL(await browser.reachCallback('ida'));
      callback.searchParams.set(parameter, 'changed');
      const answer = await browser.go(callback.href);
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthenticated' } } });
      expect(answer.headers.getSetCookie().join()).not.toContain('platform_session=');
    }
  });

  it.each(['//evil.test', '/\\evil.test', 'https://evil.test', '/a\nb', ''])(
    'does not return to %j afterwards',
    async (target) => {
      const browser = new Browser();
      const path = `/api/auth/sign-in?return_to=${encodeURIComponent(target)}`;
      expect(await browser.go(publicUrl + path)).toMatchObject({ status: 422 });
    },
  );

  it('sets a Secure cookie over https', async () => {
    const https = await startTestApi({ PUBLIC_URL: 'https://platform.localhost' });
    try {
      const person = await https.person();
      const answer = await https.anonymous.send('POST', '/api/auth/demo-sign-in', {
        email: person.user.email,
      });
      expect(answer.headers.getSetCookie()[0]).toMatch(/; secure; httponly$/);
    } finally {
      await https.stop();
    }
  });
});
