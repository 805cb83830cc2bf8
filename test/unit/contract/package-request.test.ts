import { describe, expect, it } from '@jest/globals';
import { isPinned, readPackageRequest } from '../../../contract/package-request.ts';

const npm = { manager: 'npm', program: null, python: null } as const;
const uv = { manager: 'uv', python: null } as const;

describe('the packages that a command loads', () => {
  it.each([
    ['npx', ['-y', 'some-server'], { ...npm, packages: ['some-server'], args: [] }],
    [
      'npx',
      ['some-server@1.2', '-y', '--', 'x'],
      { ...npm, packages: ['some-server@1.2'], args: ['-y', '--', 'x'] },
    ],
    [
      'npx',
      ['--yes', '--', '@team/server@^2.0.0', '/workspace'],
      { ...npm, packages: ['@team/server@^2.0.0'], args: ['/workspace'] },
    ],
    [
      'npx',
      ['-y', '-p', 'a@1.0.0', '--package=b', 'run-a', '-p', 'c'],
      { ...npm, packages: ['a@1.0.0', 'b'], program: 'run-a', args: ['-p', 'c'] },
    ],
    [
      'uvx',
      ['mcp-server-time', '--zone', 'UTC'],
      { ...uv, packages: ['mcp-server-time'], program: 'mcp-server-time', args: ['--zone', 'UTC'] },
    ],
    [
      'uvx',
      ['time-server@1.2.0'],
      { ...uv, packages: ['time-server==1.2.0'], program: 'time-server', args: [] },
    ],
    ['uvx', ['time-server@latest'], { ...uv, packages: ['time-server'], program: 'time-server', args: [] }],
    [
      'uvx',
      ['--python', '3.12', '--from', 'tools[all]>=1,<2', '--with', 'extra', 'serve', 'a'],
      { ...uv, python: '3.12', packages: ['tools[all]>=1,<2', 'extra'], program: 'serve', args: ['a'] },
    ],
  ])('%s %j', (command, args, expected) => {
    expect(readPackageRequest(command, args)).toEqual(expected);
  });

  it.each([
    ['node', ['-y', 'some-server']],
    ['npx', []],
    ['npx', ['-y']],
    ['npx', ['-c', 'rm -rf /']],
    ['npx', ['--registry=https://elsewhere.example', 'some-server']],
    ['npx', ['-y', 'https://elsewhere.example/x.tgz']],
    ['npx', ['-y', 'github:team/server']],
    ['npx', ['-y', 'team/server']],
    ['npx', ['-y', '../server']],
    ['npx', ['-y', './server']],
    ['npx', ['-y', 'x@npm:other@1.0.0']],
    ['npx', ['-y', 'x@file:/etc']],
    ['npx', ['-p', 'some-server', '../../bin/sh']],
    ['uvx', ['--index-url', 'https://elsewhere.example', 'x']],
    ['uvx', ['git+https://elsewhere.example/x']],
    ['uvx', ['--from', 'x @ file:///etc', 'x']],
    ['uvx', ['--from', 'x', '../sh']],
    ['uvx', ['--python', '/usr/bin/evil', 'x']],
    ['uvx', ['./x']],
    // If ambiguous, each of its versions would double the parse time.
    ['uvx', ['--from', `a${'=1!'.repeat(2000)}@`, 'a']],
  ])('%s %j is unchanged', (command, args) => {
    expect(readPackageRequest(command, args)).toBeNull();
  });

  it.each([
    ['npx', ['a@1.0.0'], true],
    ['npx', ['@a/b@1.0.0-rc.1'], true],
    ['npx', ['@a/b'], false],
    ['npx', ['a@^1.0.0'], false],
    ['npx', ['a@1.0'], false],
    ['npx', ['-p', 'a@1.0.0', '-p', 'b', 'a'], false],
    ['uvx', ['a@1.0'], true],
    ['uvx', ['--from', 'a==1.*', 'a'], false],
    ['uvx', ['--from', 'a>=1.0', 'a'], false],
    ['uvx', ['a'], false],
  ])('%s %j has versions: %s', (command, args, expected) => {
    const request = readPackageRequest(command, args);
    expect(request === null ? null : isPinned(request)).toBe(expected);
  });
});
