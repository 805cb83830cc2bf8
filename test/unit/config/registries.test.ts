import { describe, expect, it } from '@jest/globals';
import { privateRegistries, registryRealms } from '../../../config/registries.ts';

describe('PRIVATE_REGISTRIES', () => {
  it.each([
    [undefined, {}],
    ['registry.internal', { 'registry.internal': 'https' }],
    [
      'Registry.internal:5000, http://127.0.0.1:5000,https://a.test:443,',
      { 'registry.internal:5000': 'https', '127.0.0.1:5000': 'http', 'a.test': 'https' },
    ],
  ])('%s', (text, hosts) => {
    expect(Object.fromEntries(privateRegistries.parse(text))).toEqual(hosts);
  });
  it.each(['registry.internal/team', 'ftp://a', 'user@a', 'a b', 'a:port', '10.0.0.0/8', '*'])(
    'refuses %s, or reads it as a single host',
    (text) => {
      const parsed = privateRegistries.safeParse(text);
      expect(parsed.success ? [...parsed.data.keys()] : []).toEqual(text === '*' ? ['*'] : []);
    },
  );
});

describe('REGISTRY_REALMS', () => {
  it.each([
    [undefined, {}],
    [
      'a.test=b.test,a.test=c.test:8443, A.test:5000=b.test',
      { 'a.test': ['b.test', 'c.test:8443'], 'a.test:5000': ['b.test'] },
    ],
  ])('%s', (text, realms) => {
    expect(Object.fromEntries(registryRealms.parse(text))).toEqual(realms);
  });
  it.each(['a.test', 'a.test=', '=b.test', 'a=b=c', 'a.test=https://b.test', 'a.test=b.test/token'])(
    'refuses %s',
    (text) => {
      expect(registryRealms.safeParse(text).success).toBe(false);
    },
  );
});
