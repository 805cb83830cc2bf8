/** Previews as people find, open and end them, and the host names at which they are open. */
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { embeddingServersWith } from '../../../api/embedding-provider/provider-url.ts';
import { platformToolCallRoute } from '../../../api/platform-tools/routes.ts';
import { previewRoutes } from '../../../api/previews/routes.ts';
import { removeMember } from '../../../commands/members/members.ts';
import { endExpiredPreviews } from '../../../commands/previews/end.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import type { ShownPreview } from '../../../contract/preview.ts';
import { internalToken } from '../../../contract/session-keys.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { noWorkflows, silentFeed } from '../../support/no-workflows.ts';
import { requestAtHost } from '../../support/request-at-host.ts';

let api: TestApi;
let opened: Awaited<ReturnType<TestApi['workspace']>>;
/** Drives the session. */
let member: Person;
let admin: Person;
let base: string;
let session: string;

beforeAll(async () => {
  const log = pino({ level: 'silent' });
  const overrides = { LIMIT_PREVIEWS_PER_SESSION: '50' };
  const workflows = { ...noWorkflows, signalServicePreview: async () => true };
  api = await startTestApi(overrides, (db, config) => [
    platformToolCallRoute({
      db,
      toolDb: db,
      config,
      log,
      workflows,
      eventFeed: silentFeed,
      embeddingServers: embeddingServersWith(new Map()),
    }),
    ...previewRoutes({ db, config, log, workflows }),
  ]);
});
beforeEach(async () => {
  opened = await api.workspace();
  ({ member, admin, base } = opened);
  session = await startSession(member);
});
afterAll(() => api.stop());

async function startSession(operator: Person): Promise<string> {
  const body = { name: `a-${randomUUID()}`, run: { type: 'builtin', name: 'scripted' } };
  const { agent } = await member.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body);
  const id = randomUUID();
  await createSession(api.db, {
    ...{ id, workspaceId: opened.workspace.id, agentId: agent.id, prompt: '' },
    ...{ operatorId: operator.user.id, rootOperatorId: operator.user.id, parentSessionId: null },
  });
  return id;
}

const site = [
  { path: 'index.html', text: '<!doctype html><title>Mine</title><script src="app.js"></script>' },
  { path: 'app.js', text: 'document.title = "ran"' },
  { path: 'docs/index.html', text: '<p>docs' },
  { path: 'größe.txt', text: 'groß' },
];

/** Through the route of the session's sidecar. Returns the preview's id. */
async function deploy(given: object = {}, of = session): Promise<string> {
  const body = {
    call_id: randomUUID(),
    name: 'preview_deploy',
    arguments: { files: site, title: 'Mine', ...given },
  };
  const headers = { [internalTokenHeader]: internalToken(api.config.SESSION_KEY_SEED, of) };
  const path = `/internal/sessions/${of}/platform-tools/calls`;
  const answer = await api.anonymous.send('POST', path, body, headers);
  const { result } = answer.body as { result: { preview_id: string; url: string } };
  expect(new URL(result.url).origin).toBe(api.url);
  return result.preview_id;
}

const one = (id: string) => `${base}/previews/${id}`;
const listed = async (who: Person, query = '') =>
  (await who.ok<{ previews: ShownPreview[] }>('GET', `${base}/previews${query}`)).previews;

/** Where opening it leads. */
const ledTo = async (id: string) => (await member.send('GET', `${one(id)}/open`)).headers.get('location');

/** Where the preview is open for this person from now on. */
async function open(id: string, who: Person = member): Promise<string> {
  const { status, headers, text } = await who.send('GET', `${one(id)}/open`);
  expect({ status, text, cookies: headers.getSetCookie() }).toEqual({ status: 302, text: '', cookies: [] });
  return new URL(headers.get('location') ?? '').host;
}

const get = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  requestAtHost(api.url, { host, path, headers, method });
const isOpenAt = async (host: string) => (await get(host, '/')).status === 200;

describe('live previews', () => {
  it('are listed for those who may open them, newest first and in pages', async () => {
    const first = await deploy();
    const second = await deploy({ title: undefined });
    const other = await deploy({ audience: 'session' }, await startSession(admin));
    expect((await listed(member)).map(({ id }) => id)).toEqual([second, first]);
    expect((await listed(admin)).map(({ id }) => id)).toEqual([other, second, first]);
    expect((await listed(admin, `?session_id=${session}`)).map(({ id }) => id)).toEqual([second, first]);
    const page = await admin.ok<{ previews: ShownPreview[]; next_cursor: string }>(
      'GET',
      `${base}/previews?limit=2`,
    );
    expect(page.previews.map(({ id }) => id)).toEqual([other, second]);
    expect((await listed(admin, `?limit=2&cursor=${page.next_cursor}`)).map(({ id }) => id)).toEqual([first]);
    expect((await listed(member))[0]).toEqual({
      ...{
        id: second,
        session_id: session,
        title: null,
        audience: 'workspace',
        files: 4,
        size_bytes: expect.any(Number),
        ...{ service: null, service_status: null },
      },
      ...{ created_at: expect.any(String), expires_at: expect.any(String), ended_at: null },
      agent: { id: expect.any(String), name: expect.stringMatching(/^a-/) },
      ...{ is_live: true, may_end: true, may_read_session: true, session_ended: false },
    });
    await admin.ok('DELETE', one(second));
    expect((await listed(member)).map(({ id }) => id)).toEqual([first]);
  });

  it('are for all members of the workspace unless said otherwise, also for those who may not read their session', async () => {
    const id = await deploy({}, await startSession(admin));
    expect(await listed(member)).toEqual([
      expect.objectContaining({ id, may_end: false, may_read_session: false, session_ended: null }),
    ]);
    expect(await isOpenAt(await open(id))).toBe(true);
    expect(await member.send('DELETE', one(id))).toMatchObject({ status: 403 });
  });

  it('for their session are closed to members who may not read it, until it is shared, and to everybody else', async () => {
    const id = await deploy({ audience: 'session' }, await startSession(admin));
    for (const path of [one(id), `${one(id)}/open`]) {
      expect(await member.send('GET', path)).toMatchObject({ status: 403 });
    }
    expect(await member.send('DELETE', one(id))).toMatchObject({ status: 403 });
    const elsewhere = await api.workspace();
    expect(await elsewhere.admin.send('GET', `${elsewhere.base}/previews/${id}/open`)).toMatchObject({
      status: 404,
    });
    await api
      .db('sessions')
      .update({ shared_with_workspace: true })
      .whereIn('id', api.db('previews').where({ id }).select('session_id'));
    expect((await listed(member)).map((each) => each.id)).toEqual([id]);
    expect(await isOpenAt(await open(id))).toBe(true);
    expect(await member.send('DELETE', one(id))).toMatchObject({
      status: 403,
      body: {
        error: {
          message:
            'Only the operator of its session, the maker of its schedule or a workspace admin may end a preview',
        },
      },
    });
  });

  it('are not opened by a page of another site', async () => {
    const id = await deploy();
    for (const from of ['cross-site', 'same-site']) {
      expect(
        await member.send('GET', `${one(id)}/open`, undefined, { 'sec-fetch-site': from }),
      ).toMatchObject({
        status: 403,
      });
    }
    for (const from of ['same-origin', 'none']) {
      expect(
        await member.send('GET', `${one(id)}/open`, undefined, { 'sec-fetch-site': from }),
      ).toMatchObject({
        status: 302,
      });
    }
  });

  it('are ended once, with a record: nothing is stored or open afterwards', async () => {
    const id = await deploy();
    const host = await open(id);
    expect(await isOpenAt(host)).toBe(true);
    const { preview } = await member.ok<{ preview: ShownPreview }>('DELETE', one(id));
    expect(preview).toMatchObject({ id, is_live: false, may_end: false, ended_at: expect.any(String) });
    expect(await isOpenAt(host)).toBe(false);
    expect(await member.ok('DELETE', one(id))).toEqual({ preview });
    expect(await member.ok('GET', one(id))).toEqual({ preview });
    expect(await ledTo(id)).toMatch(`/previews/${id}`);
    expect(await api.db('preview_files').where({ preview_id: id })).toEqual([]);
    const audited = await api.db('audit_events').where({ event: 'session.preview.ended', resource_id: id });
    expect(audited).toEqual([expect.objectContaining({ actor_id: member.user.id, session_id: session })]);
    expect(JSON.stringify(audited)).not.toContain('Mine');
  });

  it('expire', async () => {
    const id = await deploy();
    const host = await open(id);
    await api
      .db('previews')
      .where({ id })
      .update({ expires_at: new Date(Date.now() - 1).toISOString() });
    expect(await isOpenAt(host)).toBe(false);
    expect(await listed(member)).toEqual([]);
    expect(await member.ok('GET', one(id))).toMatchObject({ preview: { is_live: false, may_end: false } });
    expect(await ledTo(id)).toMatch(`/previews/${id}`);
    await endExpiredPreviews(api.db);
    expect(await member.ok('GET', one(id))).toMatchObject({ preview: { ended_at: expect.any(String) } });
  });
});

describe('an opened preview', () => {
  it('is at a host name of its own each time, of which only a hash is stored and nothing is logged', async () => {
    const id = await deploy();
    const [mine, again, theirs] = [await open(id), await open(id), await open(id, admin)];
    expect(new Set([mine, again, theirs]).size).toBe(3);
    const [label = ''] = mine.split('.');
    expect(mine).toBe(`${label}.localhost:${new URL(api.url).port}`);
    expect(label).toMatch(/^[0-9a-f]{40}$/);
    const stored = (await api.db('preview_openings')).map((row) => row.label_sha256.toString('hex'));
    expect(stored).toContain(createHash('sha256').update(label).digest('hex'));
    expect(stored.join()).not.toContain(label);
    await get(mine, '/gr%C3%B6%C3%9Fe.txt');
    await eventually(async () => expect(api.logged()).toContain('"route":"preview"'));
    expect(api.logged()).not.toContain(label);
    expect(api.logged()).not.toContain('gr%C3%B6');
  });

  it('shows its files, with the headers that hold them', async () => {
    const host = await open(await deploy());
    const index = await get(host, '/');
    expect(index).toMatchObject({ status: 200, body: site[0]?.text });
    expect(index.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'access-control-allow-origin': 'null',
    });
    const policy = String(index.headers['content-security-policy']);
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; /);
    expect(policy).toContain(`connect-src http://${host} data: blob:;`);
    expect(index.headers['set-cookie']).toBeUndefined();
    expect(index.headers['access-control-allow-credentials']).toBeUndefined();
    expect(await get(host, '/app.js?x=1')).toMatchObject({
      status: 200,
      body: 'document.title = "ran"',
      headers: { 'content-type': 'text/javascript; charset=utf-8', 'content-security-policy': policy },
    });
    expect(await get(host, '/gr%C3%B6%C3%9Fe.txt')).toMatchObject({ status: 200, body: 'groß' });
    expect(await get(host, '/docs/')).toMatchObject({ status: 200, body: '<p>docs' });
    expect(await get(host, '/docs')).toMatchObject({ status: 302, headers: { location: '/docs/' } });
    expect(await get(host, '/', {}, 'HEAD')).toMatchObject({
      ...{ status: 200, body: '' },
      headers: { 'content-length': String(site[0]?.text.length) },
    });
  });

  it('has nothing else: no route of the platform, no cookie and no token counts there', async () => {
    const host = await open(await deploy());
    const token = internalToken(api.config.SESSION_KEY_SEED, session);
    const credentials = {
      cookie: member.cookie,
      authorization: 'Bearer x',
      [internalTokenHeader]: token,
    };
    for (const path of [
      '/api/me',
      '/api/health',
      '/app/',
      `/internal/sessions/${session}/platform-tools`,
      `${base}/previews`,
      '//127.0.0.1/api/me',
      `http://127.0.0.1/api/me`,
    ]) {
      const answer = await get(host, path, credentials);
      expect({ path, ...answer }).toMatchObject({
        ...{ path, status: 404 },
        body: expect.stringContaining('There is no such file'),
      });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await get(host, '/api/auth/demo-sign-in', credentials, method);
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it.each([
    ['/../index.html'],
    ['/%2e%2e/index.html'],
    ['/docs/../../index.html'],
    ['/docs%5c..%5cindex.html'],
    ['/index.html%00'],
    ['/INDEX.HTML'],
    ['//index.html'],
    ['/.git/config'],
    ["/index.html'--"],
    ['/%'],
    ['/missing'],
  ])('has no file at %s', async (path) => {
    const host = await open(await deploy());
    const answer = await get(host, path);
    expect(answer).toMatchObject({
      ...{ status: 404, body: expect.stringContaining('There is no such file') },
      headers: { 'content-security-policy': expect.stringMatching(/^default-src 'none'.*; sandbox$/) },
    });
  });

  it('shows nothing of another preview, and is nowhere else', async () => {
    const [mine, theirs] = [
      await open(await deploy()),
      await open(await deploy({ files: [...site, { path: 'only.txt', text: 'theirs' }] })),
    ];
    expect(await get(theirs, '/only.txt')).toMatchObject({ status: 200 });
    expect(await get(mine, '/only.txt')).toMatchObject({ status: 404 });
    const { host, port } = new URL(api.url);
    expect((await get(host, '/only.txt')).status).toBe(404);
    // Neither at the domain itself, nor at a name that is no preview's.
    expect((await get(`localhost:${port}`, '/only.txt')).body).not.toContain('theirs');
    const label = theirs.split('.')[0] ?? '';
    for (const wrong of [
      `a.${theirs}`,
      `${label.slice(1)}.localhost:${port}`,
      `${'0'.repeat(40)}.localhost`,
    ]) {
      expect(await get(wrong, '/only.txt')).toMatchObject({
        ...{ status: 404, body: expect.stringContaining('No preview is open here') },
      });
    }
    expect((await get(`${label}.localhost.example.com`, '/only.txt')).status).toBe(403);
  });

  it.each([
    ['signs out', async (who: Person) => void (await who.ok('POST', '/api/auth/sign-out', {}))],
    [
      'is removed from the workspace',
      async (who: Person) =>
        void (await removeMember(api.db, {
          ...{ workspaceId: opened.workspace.id, userId: who.user.id },
          by: { type: 'user', id: admin.user.id },
        })),
    ],
    [
      'may no longer read the session',
      async () =>
        void (await api
          .db('sessions')
          .where({ id: session })
          .update({ operator_id: null, root_operator_id: null })),
    ],
  ])('closes at once when the person who opened it %s', async (_what, leave) => {
    const id = await deploy({ audience: 'session' });
    const [mine, theirs] = [await open(id), await open(id, admin)];
    expect(await isOpenAt(mine)).toBe(true);
    await leave(member);
    expect(await isOpenAt(mine)).toBe(false);
    expect(await isOpenAt(theirs)).toBe(true);
  });

  it('closes after a while, and where somebody has too many open', async () => {
    const id = await deploy();
    const first = await open(id);
    await api
      .db('preview_openings')
      .where({ preview_id: id })
      .update({ expires_at: new Date(Date.now() - 1).toISOString() });
    expect(await isOpenAt(first)).toBe(false);
    const oldest = await open(id);
    for (let count = 0; count < 50; count += 1) {
      expect(await isOpenAt(oldest)).toBe(true);
      await open(id);
    }
    expect(await isOpenAt(oldest)).toBe(false);
  });
});
