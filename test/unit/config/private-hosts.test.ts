import { describe, expect, it } from '@jest/globals';
import { privateHosts } from '../../../config/private-hosts.ts';

describe('hosts that may be private', () => {
  it.each([
    [undefined, {}],
    ['registry.internal', { 'registry.internal': 'https' }],
    [
      'Registry.internal:5000, http://127.0.0.1:5000,https://a.test:443,',
      { 'registry.internal:5000': 'https', '127.0.0.1:5000': 'http', 'a.test': 'https' },
    ],
  ])('%s', (text, hosts) => {
    expect(Object.fromEntries(privateHosts.parse(text))).toEqual(hosts);
  });
  it.each(['registry.internal/team', 'ftp://a', 'user@a', 'a b', 'a:port', '10.0.0.0/8', '*'])(
    'refuses %s, or reads it as a single host',
    (text) => {
      const parsed = privateHosts.safeParse(text);
      expect(parsed.success ? [...parsed.data.keys()] : []).toEqual(text === '*' ? ['*'] : []);
    },
  );
});
