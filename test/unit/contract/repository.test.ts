import { describe, expect, it } from '@jest/globals';
import {
  repositoryInput,
  repositoryPath,
  repositoryRef,
  repositoryUrl,
} from '../../../contract/repository.ts';

const entry = { host: 'git.example.com', path: 'team/*' };
const named = (path: string | null) => ({ name: 'code', path });

describe('where an agent’s repository is', () => {
  it('is what an admin registered, with the name that the agent chose', () => {
    expect(repositoryUrl(named('team/one'), entry)).toEqual({ url: 'https://git.example.com/team/one' });
    expect(repositoryUrl(named(null), { ...entry, path: 'team/two' })).toEqual({
      url: 'https://git.example.com/team/two',
    });
  });

  it.each([
    'other/one',
    'team',
    'team/one/more',
    'team/..',
    'team/%2e%2e',
    'team/a b',
    'team/*',
    'team/one?x=1',
    '/team/one',
  ])('is not %s, which is not registered', (path) => {
    expect(repositoryUrl(named(path), entry)).toEqual({
      problem: expect.stringContaining('not registered for'),
    });
  });

  it('is nowhere without an entry, or without the name that it needs', () => {
    expect(repositoryUrl(named('team/one'), null)).toEqual({
      problem: expect.stringContaining('does not have'),
    });
    expect(repositoryUrl(named(null), entry)).toEqual({ problem: expect.stringContaining('needs a path') });
  });
});

describe('what is no repository', () => {
  const isHost = (host: string) =>
    repositoryInput.safeParse({ name: 'a', host, path: 'a', credential: null }).success;

  it('is not registered: a user, a scheme, an address or another spelling of one', () => {
    expect(['git.example.com', 'git.internal:8443', 'localhost'].filter((host) => !isHost(host))).toEqual([]);
    const others = [
      'https://a.b',
      'u@a.b',
      'u:p@a.b',
      '10.0.0.1',
      '2130706433',
      '[::1]',
      'a.b/c',
      'a.b:0',
      'a.b:99999',
      'a.b:443',
      'xn--a.com',
      `${'a'.repeat(64)}.com`,
      `${'a.'.repeat(127)}com`,
      'A.b',
      'a..b',
    ];
    expect([...others, '0x7f.1', 'a.b#c', 'a.b?c', ''].filter(isHost)).toEqual([]);
  });

  it('is not fetched: an option, a range, or what git reads as more than a name', () => {
    const refs = ['main', 'v1.2', 'feature/one', 'refs/heads/main', 'a'.repeat(40)];
    expect(refs.filter((ref) => !repositoryRef.safeParse(ref).success)).toEqual([]);
    const others = [
      '--upload-pack=x',
      '-u',
      'a..b',
      'a:b',
      '+a',
      '*',
      'a b',
      'a~1',
      'a^{/x}',
      '@{u}',
      'a.lock',
      'a/',
      'a//b',
      '/a',
      '',
    ];
    expect(others.filter((ref) => repositoryRef.safeParse(ref).success)).toEqual([]);
    const paths = ['../a', 'a/./b', 'a//b', '.git', 'a/', '/a', 'a b', 'a%2fb', 'a#b', ''];
    expect(paths.filter((path) => repositoryPath.safeParse(path).success)).toEqual([]);
  });
});
