import { describe, expect, it } from '@jest/globals';
import { refuseStrayTokens } from '../../../config/packages.ts';

const problems = (config: Parameters<typeof refuseStrayTokens>[0]) => {
  const found: string[] = [];
  refuseStrayTokens(config, (variable, message) => found.push(`${variable} ${message}`));
  return found;
};

describe('tokens of package registries', () => {
  it('require an explicit registry, over https or on this machine', () => {
    expect(problems({ NPM_REGISTRY_TOKEN: 't' })).toEqual([
      expect.stringContaining('needs NPM_REGISTRY_URL'),
    ]);
    expect(problems({ PYPI_INDEX_TOKEN: 't', PYPI_INDEX_URL: 'http://index.example/' })).toEqual([
      expect.stringContaining('needs an https URL'),
    ]);
    expect(problems({ PYPI_INDEX_TOKEN: 't', PYPI_INDEX_URL: 'http://127.0.0.1:8081/' })).toEqual([]);
    expect(problems({ NPM_REGISTRY_TOKEN: 't', NPM_REGISTRY_URL: 'https://npm.example/' })).toEqual([]);
    expect(problems({})).toEqual([]);
  });
});
