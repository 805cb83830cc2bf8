import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { filesOf, type Tier, tierOf, tiers } from '../../tiers.mjs';

const names: Tier[] = ['unit', 'services', 'platform', 'sign-in', 'claude', 'acp', 'engine', 'cluster'];

it('every test file is in exactly one tier, and every tier has files', () => {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => `test/${path}`);
  const tiered = names.flatMap((name) => filesOf(name));
  expect(Object.keys(tiers)).toEqual(names);
  expect(tiered.toSorted()).toEqual(all.toSorted());
  for (const name of names) {
    expect(filesOf(name)).not.toEqual([]);
  }
});

it('the longest matching path decides, and a file without a tier is refused', () => {
  expect(tierOf('test/integration/api/grants.test.ts')).toBe('services');
  expect(tierOf('test/integration/kubernetes/runtime.test.ts')).toBe('cluster');
  expect(tierOf('test/end-to-end/main-loop.test.ts')).toBe('platform');
  expect(tierOf('test/end-to-end/compose.test.ts')).toBe('engine');
  expect(() => tierOf('test/new/x.test.ts')).toThrow('in no tier');
});
