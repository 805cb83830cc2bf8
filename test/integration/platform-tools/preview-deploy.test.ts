/** `preview_deploy` on a real database: what it stores and announces, and what it refuses. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import { endExpiredPreviews } from '../../../commands/previews/end.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';

const limits = {
  LIMIT_PREVIEW_FILES: '5',
  LIMIT_PREVIEW_FILE_BYTES: '1000',
  LIMIT_PREVIEW_BYTES: '1500',
  LIMIT_PREVIEWS_PER_SESSION: '2',
  LIMIT_PREVIEWS_PER_WORKSPACE: '3',
  LIMIT_PREVIEW_BYTES_PER_WORKSPACE: '3000',
  LIMIT_PREVIEW_SECONDS: '7200',
};

interface Deployed {
  preview_id: string;
  url: string;
  expires_at: string;
}

let tools: TestTools;
let caller: ToolCaller;

beforeAll(async () => {
  tools = await openTools(limits);
});
beforeEach(async () => {
  caller = await tools.caller();
});
afterAll(() => tools.close());

const page = { path: 'index.html', text: '<p>hello' };
const deploy = (given: object, { by = caller, callId }: { by?: ToolCaller; callId?: string } = {}) =>
  tools.ok<Deployed>(by, 'preview_deploy', { files: [page], ...given }, callId);
const failure = async (given: object, by = caller) => tools.call(by, 'preview_deploy', given);
const previewsOf = (of: ToolCaller) => tools.db('previews').where({ session_id: of.id });
const filesOf = (previewId: string) =>
  tools.db('preview_files').where({ preview_id: previewId }).orderBy('path').select('path', 'bytes');
/** Lets time pass for it. */
const expire = (id: string) =>
  tools
    .db('previews')
    .where({ id })
    .update({ expires_at: new Date(Date.now() - 1000).toISOString() });

describe('deploying', () => {
  it('stores the files as their bytes, and answers with the page of the preview', async () => {
    const bytes = Buffer.from([0, 255, 254, 13, 10]);
    const files = [
      page,
      { path: 'assets/cafe\u0301.js', text: 'é 😀 \u0000 \r\n' },
      { path: 'p.png', base64: bytes.toString('base64') },
      { path: 'empty.txt', text: '' },
      { path: 'also-empty.bin', base64: '' },
    ];
    const { preview_id: id, url, expires_at } = await deploy({ files, title: 'A draft', ttl_seconds: 600 });
    const [row] = await previewsOf(caller);
    const { slug = '' } = (await tools.db('workspaces').where({ id: caller.workspace_id }).first()) ?? {};
    expect(url).toBe(`/app/${slug}/previews/${id}`);
    const sizeBytes = 8 + Buffer.byteLength('é 😀 \u0000 \r\n') + 5;
    expect(row).toMatchObject({
      ...{ id, expires_at, title: 'A draft', files: 5, size_bytes: sizeBytes, ended_at: null },
      workspace_id: caller.workspace_id,
    });
    const lifeMs = Date.parse(expires_at) - Date.parse(row?.created_at ?? '');
    expect(lifeMs).toBe(600_000);
    expect(await filesOf(id)).toEqual([
      { path: 'also-empty.bin', bytes: Buffer.alloc(0) },
      { path: 'assets/caf\u00e9.js', bytes: Buffer.from('é 😀 \u0000 \r\n') },
      { path: 'empty.txt', bytes: Buffer.alloc(0) },
      { path: 'index.html', bytes: Buffer.from('<p>hello') },
      { path: 'p.png', bytes },
    ]);
  });

  it('lives for an hour by default', async () => {
    await deploy({});
    const [row] = await previewsOf(caller);
    expect(Date.parse(row?.expires_at ?? '') - Date.parse(row?.created_at ?? '')).toBe(3600_000);
  });

  it('is refused once the session has ended, but for a call that made one before', async () => {
    const callId = randomUUID();
    const made = await deploy({}, { callId });
    await moveSession(tools.db, caller.id, { to: 'failed', reason: 'test' });
    expect(await failure({ files: [page] })).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('The session has ended'),
    });
    expect(await deploy({}, { callId })).toEqual(made);
    expect(await previewsOf(caller)).toHaveLength(1);
  });

  it('is announced in the transcript and recorded in the audit trail, without contents', async () => {
    const { preview_id: id, expires_at } = await deploy({ title: 'secret words' });
    const events = await tools.db('session_events').where({ session_id: caller.id, type: 'agent.preview' });
    expect(events).toEqual([
      expect.objectContaining({
        ...{ actor_type: 'agent', actor_id: caller.agent_id },
        payload: {
          preview_id: id,
          title: 'secret words',
          service: null,
          files: 1,
          size_bytes: 8,
          expires_at,
        },
      }),
    ]);
    const audited = await tools.db('audit_events').where({ resource_id: id });
    expect(audited).toEqual([
      expect.objectContaining({
        ...{ event: 'session.preview.deployed', actor_type: 'agent', actor_id: caller.agent_id },
        ...{ session_id: caller.id, resource_type: 'preview' },
        data: { audience: 'workspace', files: 1, size_bytes: 8, expires_at },
      }),
    ]);
    expect(JSON.stringify(audited)).not.toMatch(/secret words|hello|index/);
    expect(tools.logged()).not.toMatch(/secret words|hello/);
  });

  it('happens once for a call that is sent again, also at the same time and after its end', async () => {
    const callId = randomUUID();
    const both = await Promise.all([deploy({}, { callId }), deploy({}, { callId })]);
    expect(both[0]).toEqual(both[1]);
    expect(await previewsOf(caller)).toHaveLength(1);
    await expire(both[0].preview_id);
    await endExpiredPreviews(tools.db);
    expect(await deploy({}, { callId })).toMatchObject({ preview_id: both[0].preview_id });
    expect(await previewsOf(caller)).toHaveLength(1);
    expect(
      await tools.db('audit_events').where({ event: 'session.preview.deployed', session_id: caller.id }),
    ).toHaveLength(1);
    // The id of a call is that of its session: another session's is another call.
    const colleague = await tools.colleague(caller);
    const theirs = await deploy({}, { by: colleague, callId });
    expect(theirs.preview_id).not.toBe(both[0].preview_id);
  });
});

describe('arguments that are refused', () => {
  const file = (fields: object) => ({ files: [fields] });
  it.each([
    ['nothing', {}, 'validation_failed', 'files: is required'],
    ['no files', { files: [] }, 'validation_failed', 'files: '],
    [
      'a service that it does not have',
      { service: 'web' },
      'not_found',
      'service: this agent has no service',
    ],
    ['a service beside files', { service: 'web', files: [page] }, 'validation_failed', 'service: must not'],
    ['an archive', { archive: 'UEsDBA==' }, 'validation_failed', 'archive: unknown field'],
    [
      'a symbolic link',
      file({ path: 'a', link: '/etc/passwd' }),
      'validation_failed',
      'files.0.link: unknown',
    ],
    ['a mode', file({ path: 'a', text: '', mode: 511 }), 'validation_failed', 'files.0.mode: unknown'],
    ['no content', file({ path: 'a' }), 'validation_failed', 'files.0: must have either text or base64'],
    [
      'two contents',
      file({ path: 'a', text: '', base64: '' }),
      'validation_failed',
      'files.0: must have either',
    ],
    ['base64 that is none', file({ path: 'a', base64: '*' }), 'validation_failed', 'files.0.base64: must be'],
    ['base64 without its padding', file({ path: 'a', base64: 'YQ' }), 'validation_failed', 'files.0.base64'],
    [
      'base64 with a line break',
      file({ path: 'a', base64: 'YWFh\nYWFh' }),
      'validation_failed',
      'files.0.base64',
    ],
    ['base64 of URLs', file({ path: 'a', base64: '-_-_' }), 'validation_failed', 'files.0.base64'],
    [
      'base64 with bits that mean nothing',
      file({ path: 'a', base64: 'YR==' }),
      'validation_failed',
      'base64',
    ],
    [
      'half a surrogate pair',
      file({ path: 'a', text: '\ud800' }),
      'validation_failed',
      'files.0.text: must be',
    ],
    ['a path elsewhere', file({ path: '../a', text: '' }), 'validation_failed', 'files.0.path: must not'],
    [
      'an absolute path',
      file({ path: '/a', text: '' }),
      'validation_failed',
      'files.0.path: must be relative',
    ],
    [
      'a path of hundreds of thousands of folders',
      { files: [page, { path: `${'a/'.repeat(400_000)}a`, text: '' }] },
      'validation_failed',
      'files.1.path: must have 255 characters at most',
    ],
    ['NUL in a path', file({ path: 'a\0', text: '' }), 'validation_failed', 'files.0.path: must not'],
    [
      'one path twice',
      { files: [page, { path: 'INDEX.html', text: '' }] },
      'validation_failed',
      'files.1.path: is the same as an earlier path',
    ],
    [
      'a file that is a folder',
      {
        files: [
          { path: 'a', text: '' },
          { path: 'a/b', text: '' },
        ],
      },
      'validation_failed',
      'files.1.path: makes one path a file and a folder',
    ],
    [
      'too many files',
      { files: Array.from({ length: 6 }, (_, at) => ({ path: `${at}`, text: '' })) },
      'validation_failed',
      'files: has 6 files; a preview has 5 at most',
    ],
    [
      'a large file',
      { files: [page, { path: 'a', text: 'x'.repeat(1001) }] },
      'validation_failed',
      'files.1: has 1001 bytes; a file of a preview has 1000 at most',
    ],
    [
      'a large file in base64',
      file({ path: 'a', base64: Buffer.alloc(1001).toString('base64') }),
      'validation_failed',
      'files.0: has 1001 bytes',
    ],
    [
      'many bytes together',
      { files: ['a', 'b'].map((path) => ({ path, text: 'é'.repeat(400) })) },
      'validation_failed',
      'files: have 1600 bytes; those of a preview have 1500 at most',
    ],
    [
      'files without a page to begin with',
      { files: [{ path: 'docs/index.html', text: '' }] },
      'validation_failed',
      'files: must have "index.html"',
    ],
    ['a moment', { files: [page], ttl_seconds: 59 }, 'validation_failed', 'ttl_seconds: '],
    ['half a second more', { files: [page], ttl_seconds: 60.5 }, 'validation_failed', 'ttl_seconds: '],
    [
      'longer than allowed',
      { files: [page], ttl_seconds: 7201 },
      'validation_failed',
      'ttl_seconds: must be 7200',
    ],
    ['an empty title', { files: [page], title: ' ' }, 'validation_failed', 'title: must'],
    ['a title of two lines', { files: [page], title: 'a\nb' }, 'validation_failed', 'title: must'],
    ['NUL in a title', { files: [page], title: 'a\0' }, 'validation_failed', 'title: must'],
    ['a long title', { files: [page], title: 'x'.repeat(201) }, 'validation_failed', 'title: '],
  ])('as %s', async (_what, given, code, message) => {
    const answer = await failure(given);
    expect(answer).toMatchObject({ status: 'failed', code, message: expect.stringContaining(message) });
    expect(await previewsOf(caller)).toEqual([]);
  });

  it('as a message of a mebibyte, by its size', async () => {
    const answer = await failure({ files: [{ path: 'a', text: 'x'.repeat(1024 * 1024) }] });
    expect(answer).toMatchObject({ status: 'failed', code: 'validation_failed' });
    expect(JSON.stringify(answer).length).toBeLessThan(300);
  });

  it('where the platform has no domain for previews', async () => {
    const elsewhere = await openTools({
      ...{ PUBLIC_URL: 'https://agents.example.com', DEMO_SIGN_IN: 'false' },
      ...{ OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'platform' },
    });
    const answer = await elsewhere.call(await elsewhere.caller(), 'preview_deploy', { files: [page] });
    await elsewhere.close();
    expect(answer).toMatchObject({
      ...{ status: 'failed', code: 'not_configured' },
      message: expect.stringContaining('PREVIEW_DOMAIN'),
    });
  });

  it('nowhere else: with a domain the page has the public address', async () => {
    const elsewhere = await openTools({
      ...{ PUBLIC_URL: 'https://agents.example.com', DEMO_SIGN_IN: 'false' },
      ...{ OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'platform' },
      PREVIEW_DOMAIN: 'previews.example.net',
    });
    const { url } = await elsewhere.ok<Deployed>(await elsewhere.caller(), 'preview_deploy', {
      files: [page],
    });
    await elsewhere.close();
    expect(url).toMatch(/^https:\/\/agents\.example\.com\/app\/[^/]+\/previews\/[0-9a-f-]{36}$/);
  });
});

describe('quotas', () => {
  const refused = { status: 'failed', code: 'limit_reached' };

  it('bound the live previews of a session and of a workspace, until one expires', async () => {
    const colleague = await tools.colleague(caller);
    const first = await deploy({});
    await deploy({});
    expect(await failure({ files: [page] })).toMatchObject({
      ...refused,
      message: 'The limit is 2 live previews per session; one has to end or expire first',
    });
    await deploy({}, { by: colleague });
    expect(await failure({ files: [page] }, colleague)).toMatchObject({
      ...refused,
      message: 'The limit is 3 live previews per workspace; one has to end or expire first',
    });
    // Another workspace has its own.
    await deploy({}, { by: await tools.caller() });
    await expire(first.preview_id);
    await deploy({}, { by: colleague });
  });

  it('bound the bytes of a workspace, until those of an expired preview are erased', async () => {
    const colleague = await tools.colleague(caller);
    const large = { files: ['a', 'index.html'].map((path) => ({ path, text: 'x'.repeat(750) })) };
    const first = await deploy(large);
    await deploy(large);
    expect(await failure({ files: [page] }, colleague)).toMatchObject({
      ...refused,
      message: 'The limit is 3000 bytes of previews per workspace; one has to end or expire first',
    });
    await expire(first.preview_id);
    expect(await failure({ files: [page] }, colleague)).toMatchObject(refused);
    await endExpiredPreviews(tools.db);
    await deploy({}, { by: colleague });
  });

  it('hold exactly for calls at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => failure({ files: [page] })));
    expect(answers.filter(({ status }) => status === 'ok')).toHaveLength(2);
    expect(await previewsOf(caller)).toHaveLength(2);
  });
});

describe('the end of a preview', () => {
  it('comes with its expiry: its files are erased, and it is recorded once', async () => {
    const { preview_id: id } = await deploy({});
    const stays = await deploy({});
    await expire(id);
    await Promise.all([endExpiredPreviews(tools.db), endExpiredPreviews(tools.db)]);
    const row = await tools.db('previews').where({ id }).first();
    expect(row?.ended_at).toBe(row?.expires_at);
    expect(await filesOf(id)).toEqual([]);
    expect(await filesOf(stays.preview_id)).toHaveLength(1);
    const ended = await tools.db('audit_events').where({ event: 'session.preview.ended', resource_id: id });
    expect(ended).toEqual([expect.objectContaining({ actor_type: 'system', session_id: caller.id })]);
  });

  it('comes with the removal of its session', async () => {
    const { preview_id: id } = await deploy({});
    await tools.db('sessions').where({ id: caller.id }).delete();
    expect(await tools.db('previews').where({ id })).toEqual([]);
    expect(await filesOf(id)).toEqual([]);
  });
});
