import { describe, expect, it } from '@jest/globals';
import { registryRealms } from '../../../config/private-hosts.ts';

describe('REGISTRY_REALMS', () => {
  it.each([
    [undefined, {}],
    [
      'a.test=b.test,a.test=c.test:8443, A.test:5000=b.test',
      { 'a.test': ['b.test', 'c.test:8443'], 'a.test:5000': ['b.test'] },
    ],
    ['A.test:443=B.test:443,a.test=c.test', { 'a.test': ['b.test', 'c.test'] }],
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
