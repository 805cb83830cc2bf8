/**
 * How the bridge of a remote server gets access tokens, asked for as a hostile
 * program in its container would.
 */
import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccessTokenAnswer } from '../../../contract/remote-server.ts';
import { tokenSocketName } from '../../../contract/token-socket-name.ts';
import { tokenLimits } from '../../../sidecar/access-tokens/token-socket.ts';
import { bundlePrograms, type Programs } from './programs.ts';
import { TestSession, until } from './session.ts';

const accessToken = 'at-4f1c-only-for-the-bridge';
const token: AccessTokenAnswer = {
  result: 'token',
  access_token: accessToken,
  token_id: 'one',
  expires_at: '2030-01-01T00:00:00Z',
};
const absent = { command: 'none', args: [], isAbsent: true };

let programs: Programs;
let session: TestSession;
beforeAll(async () => {
  programs = await bundlePrograms();
});
beforeEach(async () => {
  session = await new TestSession(programs, {
    crm: { ...absent, accessTokens: true },
    notes: { ...absent, accessTokens: true },
    files: absent,
  }).start();
  session.platform.onAccessToken = () => token;
});
afterEach(() => session.stop());

const socketOf = (server: string) => join(session.directory, 'servers', server, tokenSocketName);

interface Asked {
  server?: string;
  method?: string;
  path?: string;
  body?: string;
}

/** The status is 0 when the connection was not taken. */
const ask = ({ server = 'crm', method = 'POST', path = '/access-token', body = '{}' }: Asked = {}) =>
  new Promise<{ status: number; body: unknown }>((resolve) => {
    request({ socketPath: socketOf(server), method, path, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    })
      .on('error', () => resolve({ status: 0, body: null }))
      .end(body);
  });

describe('the socket for access tokens', () => {
  it('passes a question on with the name of its server, and the answer back', async () => {
    const questions = [{}, { rejected: 'one' }, { missing_scopes: ['notes.write', 'notes.read'] }];
    for (const question of questions) {
      expect(await ask({ body: JSON.stringify(question) })).toEqual({ status: 200, body: token });
    }
    await ask({ server: 'notes' });
    expect(session.platform.tokenReports).toEqual([
      ...questions.map((question) => ({ server: 'crm', ...question })),
      { server: 'notes' },
    ]);
    expect(session.platform.unauthenticated).toBe(0);
  });

  it('is there for servers that sign in, in their own directory, for their group alone', async () => {
    expect((await stat(socketOf('crm'))).mode & 0o777).toBe(0o660);
    expect(await readdir(join(session.directory, 'servers/files'))).not.toContain(tokenSocketName);
    const ofAgent = await readdir(join(session.directory, 'agent'), { recursive: true });
    expect(ofAgent.filter((path) => path.endsWith(tokenSocketName))).toEqual([]);
  });

  it('is not written to by a server whose name is that of another socket', async () => {
    const named = await new TestSession(programs, { token: { ...absent, accessTokens: true } }).start();
    expect((await readdir(join(named.directory, 'servers/token'))).sort()).toEqual([
      '.report.sock',
      tokenSocketName,
      'token.sock',
    ]);
    await named.stop();
  });

  it.each<[string, Asked, number]>([
    ['another path', { path: '/tool-calls' }, 404],
    ['a path below it', { path: '/access-token/../end' }, 404],
    ['a query', { path: '/access-token?server=notes' }, 404],
    ['another method', { method: 'GET', body: '' }, 404],
    ['a server of its own choice', { body: '{"server":"notes"}' }, 422],
    ['what is no scope', { body: '{"missing_scopes":["a b"]}' }, 422],
    ['too many scopes', { body: JSON.stringify({ missing_scopes: Array(101).fill('a') }) }, 422],
    ['no JSON', { body: 'give me' }, 400],
    ['nothing', { body: '' }, 400],
    ['too much', { body: ' '.repeat(tokenLimits.bodyBytes + 1) }, 413],
  ])('refuses %s, and sends no request', async (_, asked, status) => {
    expect(await ask(asked)).toMatchObject({ status, body: { error: { message: expect.any(String) } } });
    expect(session.platform.tokenReports).toEqual([]);
  });

  it('says what the platform says, when the operator has to sign in or nobody may ask', async () => {
    const signIn = { result: 'authorization_required' as const, message: 'Ada has to sign in to crm' };
    session.platform.onAccessToken = () => signIn;
    expect(await ask()).toEqual({ status: 200, body: signIn });
    session.platform.onAccessToken = () => {
      throw new Error(`the session has ended${'!'.repeat(2000)}`);
    };
    const { status, body } = await ask();
    expect({ status, body }).toMatchObject({ status: 200, body: { result: 'authorization_required' } });
    const { message } = body as { message: string };
    expect(message).toContain('the session has ended!');
    expect(message).toHaveLength(1000);
  });

  it('has no token while the platform limits the rate of questions, which no sign-in would change', async () => {
    session.platform.failWith = 429;
    expect(await ask()).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    session.platform.failWith = null;
  });

  it('has no token while the platform answers something else, and says so', async () => {
    for (const answer of [{ ...token, access_token: 7 }, { ...token, refresh_token: 'r' }, 'page']) {
      session.platform.onAccessToken = () => answer;
      const { status, body } = await ask();
      expect(status).toBe(503);
      expect(body).toMatchObject({
        error: { code: 'unavailable', message: expect.stringMatching(/ask again/) },
      });
      expect(JSON.stringify(body)).not.toContain(accessToken);
    }
  });

  it('puts no token into the log, nor anything that it was asked', async () => {
    await ask({ body: '{"rejected":"marked-id"}' });
    session.platform.onAccessToken = () => ({ ...token, more: 1 });
    await ask();
    await session.stopSidecar();
    expect(session.sidecarLog).not.toBe('');
    expect(session.sidecarLog).not.toContain(accessToken);
    expect(session.sidecarLog).not.toContain('marked-id');
  });
});

describe('a container that asks for tokens endlessly', () => {
  it('has one question at a time, a few that wait, and not all connections', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let concurrent = 0;
    let most = 0;
    session.platform.onAccessToken = async () => {
      concurrent += 1;
      most = Math.max(most, concurrent);
      await held;
      concurrent -= 1;
      return token;
    };
    const { connections, waiting } = tokenLimits;
    const answers: number[] = [];
    const asked = Array.from({ length: 3 * connections }, () =>
      ask().then(({ status }) => answers.push(status)),
    );
    // Those that are not refused wait: one with the platform, the others behind it.
    await until(() => answers.length === asked.length - 1 - waiting, 'the refusals');
    await until(() => concurrent === 1, 'the first question at the platform');
    expect(answers.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(answers.filter((status) => status !== 429 && status !== 0)).toEqual([]);
    // Another server's socket is not held up.
    session.platform.onAccessToken = () => token;
    expect(await ask({ server: 'notes' })).toMatchObject({ status: 200 });
    answer();
    await Promise.all(asked);
    expect(answers.filter((status) => status === 200)).toHaveLength(1 + waiting);
    expect(most).toBe(1);
  });

  it('is slowed down to its rate', async () => {
    const startedMs = performance.now();
    const count = tokenLimits.perMinute + 1;
    for (let left = count; left > 0; left -= 1) {
      expect(await ask()).toMatchObject({ status: 200 });
    }
    expect(performance.now() - startedMs).toBeGreaterThan((0.5 * 60_000) / tokenLimits.perMinute);
    expect(session.platform.tokenReports).toHaveLength(count);
  });
});
