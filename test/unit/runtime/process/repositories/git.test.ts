import { describe, expect, it } from '@jest/globals';
import {
  credentialVariables,
  diffCommand,
  diffVariables,
  fetchCommand,
  gitVariables,
} from '../../../../../runtime/process/repositories/git.ts';
import { failureOf, problemOfTree } from '../../../../../runtime/process/repositories/inside/fetch-job.ts';
import { jobFailureOf, mustRunGit } from '../../../../../runtime/process/repositories/inside/run-git.ts';

const request = {
  ...{
    url: 'https://git.example.com/team/project',
    ref: 'main',
    proxy: 'http://127.0.0.1:1',
    caFile: '/ca.pem',
  },
};
const settingsOf = (command: string[]) =>
  Object.fromEntries(
    command.flatMap((word, at) =>
      word === '-c' ? [(command[at + 1] ?? '').split(/=(.*)/s).slice(0, 2)] : [],
    ),
  );

describe('git', () => {
  it('fetches one commit over https from this host, checks all of it, and runs nothing', () => {
    const command = fetchCommand(request);
    expect(command.slice(-3)).toEqual(['--', request.url, 'main']);
    expect(command).toEqual(expect.arrayContaining(['--depth=1', '--no-tags', '--no-recurse-submodules']));
    expect(settingsOf(command)).toMatchObject({
      'protocol.allow': 'never',
      'protocol.https.allow': 'always',
      'http.followRedirects': 'false',
      'http.sslVerify': 'true',
      'http.sslCAInfo': '/ca.pem',
      'transfer.fsckObjects': 'true',
      'core.hooksPath': '/dev/null',
      'core.fsmonitor': 'false',
      'credential.helper': '',
    });
    expect(settingsOf(fetchCommand({ ...request, caFile: null }))).not.toHaveProperty('http.sslCAInfo');
  });

  it('reads no settings but these', () => {
    expect(gitVariables).toMatchObject({
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      HOME: '/nonexistent',
    });
  });

  it('compares trees without programs and attributes', () => {
    expect(diffCommand('a', 'b')).toEqual(
      expect.arrayContaining(['--no-ext-diff', '--no-textconv', '--binary']),
    );
    expect(settingsOf(diffCommand('a', 'b'))).toMatchObject({
      'core.bare': 'true',
      'core.attributesFile': '/dev/null',
    });
    expect(diffVariables.GIT_ATTR_SOURCE).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
  });

  it('gets the credential by a variable, a token as the password beside any name', () => {
    const header = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}`;
    expect(credentialVariables('token')['GIT_CONFIG_VALUE_0']).toBe(header('x-access-token:token'));
    expect(credentialVariables('token\n')['GIT_CONFIG_VALUE_0']).toBe(header('x-access-token:token'));
    expect(credentialVariables('user:word')['GIT_CONFIG_VALUE_0']).toBe(header('user:word'));
    expect(credentialVariables(null)).toEqual({});
    expect(JSON.stringify(fetchCommand(request))).not.toContain('Authorization');
  });

  it('that finds no room, or no memory, has a cause of its own', async () => {
    const env = { PATH: process.env['PATH'] ?? '' };
    const ends = (script: string) =>
      mustRunGit(['sh', '-c', script], { env, cwd: '/' }).then(String, jobFailureOf);
    expect(await ends('echo done')).toBe('done\n');
    expect(await ends('echo "error: No space left on device" >&2; exit 1')).toBe('too_large');
    expect(await ends('echo "fatal: Out of memory, malloc failed" >&2; exit 128')).toBe('out_of_memory');
    expect(await ends('kill -9 $$')).toBe('killed');
    expect(await ends('echo "error: index-pack died of signal 9" >&2; exit 128')).toBe('killed');
    expect(await ends('echo "remote: index-pack died of signal 9" >&2; exit 128')).toBe('git_failed');
    expect(await ends('exit 1')).toBe('git_failed');
    const full = mustRunGit(['sh', '-c', 'yes'], { env, cwd: '/', file: '/dev/full' });
    expect(await full.catch(jobFailureOf)).toBe('too_large');
  }, 20_000);

  it('writes out no more files, directories and bytes than fit', () => {
    const limits = { treeBytes: 1024 * 1024, files: 100 };
    const listed = (path: string, size = 1) =>
      `100644 blob ${'0'.repeat(40)} ${String(size).padStart(7)}\t${path}\0`;
    const many = (count: number, path: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => listed(path(at))).join('');
    expect(
      problemOfTree(
        many(100, (at) => `${at}`),
        limits,
      ),
    ).toBe(null);
    expect(
      problemOfTree(
        many(49, (at) => `${at}/a`),
        limits,
      ),
    ).toBe(null);
    expect(
      problemOfTree(
        many(101, (at) => `${at}`),
        limits,
      ),
    ).toBe('too_many_files');
    expect(
      problemOfTree(
        many(51, (at) => `${at}/a`),
        limits,
      ),
    ).toBe('too_many_files');
    expect(problemOfTree(listed(`${'d/'.repeat(100)}a`), limits)).toBe('too_many_files');
    expect(problemOfTree(listed('a', 1024 * 1024), limits)).toBe('too_large');
    expect(
      problemOfTree(
        many(50, (at) => `${at}`),
        { ...limits, treeBytes: 100_000 },
      ),
    ).toBe('too_large');
    expect(problemOfTree(listed('a'.repeat(256)), limits)).toBe('bad_files');
    expect(problemOfTree(listed(`${'ab/'.repeat(700)}c`), limits)).toBe('bad_files');
  });

  it.each([
    ["fatal: couldn't find remote ref nowhere", 'no_ref'],
    ["fatal: unable to access 'https://a/': The requested URL returned error: 302", 'redirected'],
    [
      "fatal: unable to access 'https://a/redirect/inflate': The requested URL returned error: 403",
      'refused',
    ],
    ["fatal: unable to access 'https://a/redirect/inflate': Failed to connect to a", 'unreachable'],
    ["fatal: Authentication failed for 'https://a/'", 'refused'],
    ["fatal: repository 'https://a/' not found", 'no_repository'],
    ['error: object 1: hasDotgit: contains .git\nfatal: fsck error in packed object', 'damaged'],
    ["fatal: unable to access 'https://a/': Failed to connect to 127.0.0.1", 'unreachable'],
    ['something else', 'git_failed'],
  ])('failed: %s', (written, why) => {
    expect(failureOf(written)).toBe(why);
  });
});
