import { describe, expect, it } from '@jest/globals';
import { modelBaseUrl, unlistedEndpoint } from '../../../config/model-base-url.ts';

describe('the endpoint of language models', () => {
  it('is the usual one unless it is set', () => {
    expect(modelBaseUrl.parse(undefined)).toBe('https://api.anthropic.com');
    expect(modelBaseUrl.parse('https://gateway.example:8443/base/')).toBe(
      'https://gateway.example:8443/base/',
    );
  });

  it.each([
    'models.example.com',
    'ftp://models.example.com',
    'https://user:password@models.example.com',
    'https://models.example.com/?key=1',
    'https://models.example.com/#a',
    'https://models.example.com/?',
  ])('is not %s', (text) => {
    expect(modelBaseUrl.safeParse(text).error?.issues[0]?.message).toMatch(
      /^must be the address of an endpoint/,
    );
  });

  it('speaks TLS, or is listed as one that does not', () => {
    const listed = new Map([['models.internal:8000', 'http' as const]]);
    expect(unlistedEndpoint('https://models.example.com', new Map())).toBeNull();
    expect(unlistedEndpoint('http://models.internal:8000', listed)).toBeNull();
    expect(unlistedEndpoint('http://models.internal', listed)).toBe(
      'must be https, or PRIVATE_MCP_HOSTS has to list http://models.internal',
    );
    expect(unlistedEndpoint('no address', listed)).toBeNull();
  });
});
