import { describe, expect, it } from '@jest/globals';
import { parseChallenges } from '../../../../lib/outbound/challenge.ts';

const read = (header: string) =>
  parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

describe('a challenge', () => {
  it.each([
    [
      'Bearer realm="https://auth.test/token",service="registry.test",scope="repository:a/b:pull"',
      [
        [
          'bearer',
          { realm: 'https://auth.test/token', service: 'registry.test', scope: 'repository:a/b:pull' },
        ],
      ],
    ],
    ['BASIC Realm="a \\"quoted\\" word"', [['basic', { realm: 'a "quoted" word' }]]],
    [
      'Negotiate, Basic realm=x, Bearer realm="y"',
      [
        ['basic', { realm: 'x' }],
        ['bearer', { realm: 'y' }],
      ],
    ],
    [
      'Bearer resource_metadata=https://s.test/.well-known/oauth-protected-resource, scope="a b"',
      [
        [
          'bearer',
          { resource_metadata: 'https://s.test/.well-known/oauth-protected-resource', scope: 'a b' },
        ],
      ],
    ],
    [
      'Bearer realm="x" error="invalid_token" Basic realm=y',
      [
        ['bearer', { realm: 'x', error: 'invalid_token' }],
        ['basic', { realm: 'y' }],
      ],
    ],
    ['Bearer realm="x"error="y"', []],
    ['Basic', [['basic', {}]]],
    ['', []],
    ['Digest realm="x"', []],
    ['Bearer realm="unfinished', []],
    ['"nonsense"', []],
    [`Bearer realm="${'x'.repeat(5000)}"`, []],
  ])('%s', (header, challenges) => {
    expect(read(header)).toEqual(challenges);
  });
});
