/** The demo's MCP server that pushes: what a patch may do to the repository, and to the machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { type DemoRemoteServer, startDemoRemote } from '../../support/demo-remote.ts';

const token = 'the-token-of-the-platform';
let remote: DemoRemoteServer;
let client: Client;

const connect = async (bearer: string) => {
  const connected = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${bearer}` };
  const url = new URL('/push/mcp', remote.url);
  await connected.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return connected;
};

beforeAll(async () => {
  remote = await startDemoRemote();
  // Given by whoever starts it; read at its start.
  writeFileSync(join(remote.directory, 'push-token'), token);
  await remote.restart();
  client = await connect(token);
});
afterAll(async () => {
  await client?.close();
  await remote.close();
});

const repository = () => join(remote.directory, 'repository.git');
const git = (...args: string[]) =>
  String(
    execFileSync('git', ['--git-dir', repository(), ...args], { stdio: ['ignore', 'pipe', 'ignore'] }),
  ).trim();
const state = z.object({ main: z.string(), unused: z.string() });
const read = async () =>
  state.parse((await client.callTool({ name: 'read_branches', arguments: {} })).structuredContent);

const added = (path: string, { mode = '100644', line = 'hello' } = {}) =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;

interface Change {
  branch?: string;
  onto?: string;
  patch: string;
}
async function push({ branch, onto, patch }: Change) {
  const { main, unused } = await read();
  const result = await client.callTool({
    name: 'push',
    arguments: { branch: branch ?? unused, onto: onto ?? main, message: 'Change it\n\nBecause.', patch },
  });
  const [content] = z.array(z.object({ text: z.string() })).parse(result.content);
  return { isError: result.isError === true, text: content?.text ?? '', branch: branch ?? unused };
}

it('pushes the very commit that its arguments say, onto the commit that they name', async () => {
  const { main } = await read();
  const pushed = await push({ patch: added('notes/new.md') });
  expect(pushed).toMatchObject({
    isError: false,
    text: expect.stringMatching(/^Pushed [0-9a-f]{40} to change-[0-9a-f]{8}\.$/),
  });
  const { branch } = pushed;
  const commit = git('rev-parse', branch);
  expect(git('rev-parse', `${branch}^`)).toBe(main);
  expect(git('show', `${branch}:notes/new.md`)).toBe('hello');
  expect(git('log', '-1', '--format=%an: %B', branch)).toBe('An agent of the demo: Change it\n\nBecause.');
  // The branch has moved: the same push is another one by now.
  const again = await push({ branch, patch: added('other.md') });
  expect(again).toMatchObject({
    isError: true,
    text: expect.stringContaining(`is at ${commit}, and not at`),
  });
  expect(await push({ branch, onto: commit, patch: added('other.md') })).toMatchObject({
    isError: false,
  });
  // The commit depends on the arguments alone, and not on when it is made.
  expect(git('log', '-1', '--format=%at %ct', commit)).toBe(git('log', '-1', '--format=%ct %ct', main));
  expect(readdirSync(repository()).filter((name) => name.startsWith('push-'))).toEqual([]);
  git('fsck', '--strict');
});

it.each([
  ['a path out of the repository', added('../outside')],
  ['an absolute path', added('/tmp/outside')],
  ['a file of git', added('.git/hooks/post-update', { mode: '100755' })],
  ['a file of git, as some file systems write it', added('sub/.GIT/config')],
  ['a link', added('link', { mode: '120000', line: '/etc/passwd' })],
  ['a submodule', added('sub', { mode: '160000', line: `Subproject commit ${'1'.repeat(40)}` })],
  [
    'bytes',
    'diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\nliteral 0\n\n',
  ],
  ['what does not apply', added('readme.md')],
  ['no patch', 'echo hello'],
])('pushes no patch with %s', async (_what, patch) => {
  const before = git('for-each-ref');
  expect(await push({ patch })).toMatchObject({ isError: true });
  expect(git('for-each-ref')).toBe(before);
  expect(existsSync(join(remote.directory, 'outside'))).toBe(false);
});

it.each([
  ['another ref', { branch: '../tags/v1' }],
  ['an option', { branch: '--force' }],
  ['a commit by another name', { onto: 'main' }],
  ['a commit of no branch', { onto: '1'.repeat(40) }],
  // As JSON: an approver sees 16 KiB of it at most.
  ['more than it takes', { patch: added('more.md', { line: '\u0001'.repeat(2048) }) }],
])('pushes nothing to or with %s', async (_what, change) => {
  const before = git('for-each-ref');
  const pushed = await push({ patch: added('more.md'), ...change }).catch(() => ({ isError: true }));
  expect(pushed).toMatchObject({ isError: true });
  expect(git('for-each-ref')).toBe(before);
});

it('runs no hook and no program that attributes or settings of the files name', async () => {
  const marker = join(mkdtempSync(join(tmpdir(), 'marker-')), 'ran');
  const hook = join(repository(), 'hooks');
  execFileSync('mkdir', ['-p', hook]);
  for (const name of [
    'post-update',
    'reference-transaction',
    'applypatch-msg',
    'pre-commit',
    'post-commit',
  ]) {
    writeFileSync(join(hook, name), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  }
  const attributes = added('.gitattributes', { line: '* filter=evil text eol=crlf' });
  expect(await push({ patch: attributes + added('filtered.txt') })).toMatchObject({ isError: false });
  expect(existsSync(marker)).toBe(false);
  rmSync(join(marker, '..'), { recursive: true });
});

it('is whole after a start or a push that was killed', async () => {
  const { main } = await read();
  // A lock that is left refuses every push to its branch, and an index is left behind.
  writeFileSync(join(repository(), 'refs/heads/held.lock'), '');
  mkdirSync(join(repository(), 'push-left'));
  expect(await push({ branch: 'held', patch: added('held.md') })).toMatchObject({ isError: true });
  await remote.restart();
  client = await connect(token);
  expect(await push({ branch: 'held', patch: added('held.md') })).toMatchObject({ isError: false });
  expect(readdirSync(repository()).filter((name) => name.startsWith('push-'))).toEqual([]);
  expect((await read()).main).toBe(main);

  // Killed before it had a commit.
  rmSync(repository(), { recursive: true });
  execFileSync('git', ['init', '--quiet', '--bare', `${repository()}.new`]);
  await remote.restart();
  client = await connect(token);
  expect((await read()).main).toMatch(/^[0-9a-f]{40}$/);
  expect(existsSync(`${repository()}.new`)).toBe(false);
});

it('is for whoever has the token alone', async () => {
  await expect(connect('another-token')).rejects.toThrow();
  const bare = await fetch(new URL('/push/mcp', remote.url), { method: 'POST', body: '{}' });
  expect(bare.status).toBe(401);
  // An empty token is none: the endpoint is not there, and the rest answers as it does.
  writeFileSync(join(remote.directory, 'push-token'), '\n');
  await remote.restart();
  await expect(connect('')).rejects.toThrow();
});
