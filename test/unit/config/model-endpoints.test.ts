import { describe, expect, it } from '@jest/globals';
import {
  allModelEndpoints,
  listedModelEndpoints,
  modelBaseUrl,
  unlistedEndpoint,
} from '../../../config/model-endpoints.ts';
import { endpointsOf, findEndpoint } from '../../../contract/model-endpoint.ts';

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

describe('further endpoints', () => {
  const openai = { name: 'openai', dialect: 'responses', base_url: 'https://models.example.com/v1' };
  const of = (...listed: object[]) =>
    allModelEndpoints({
      MODEL_BASE_URL: 'https://messages.example.com',
      MODEL_ENDPOINTS: listedModelEndpoints.parse(JSON.stringify(listed)),
    });

  it('are listed by name, beside the one of MODEL_BASE_URL', () => {
    expect(listedModelEndpoints.parse(undefined)).toEqual(new Map());
    expect([...of(openai).values()]).toEqual([
      {
        ...{ name: 'default', dialect: 'messages', base_url: 'https://messages.example.com' },
        default_max_tokens: 16_384,
      },
      { ...openai, default_max_tokens: 16_384 },
    ]);
    const own = { ...openai, name: 'default', default_max_tokens: 5 };
    expect([...of(own).values()]).toEqual([own]);
  });

  it('are for the workspaces that they name', () => {
    const endpoints = of({ ...openai, workspaces: ['acme'] }, { ...openai, name: 'none', workspaces: [] });
    expect(endpointsOf(endpoints, 'acme').map(({ name }) => name)).toEqual(['default', 'openai']);
    expect(endpointsOf(endpoints, 'other').map(({ name }) => name)).toEqual(['default']);
    expect(findEndpoint(endpoints, 'openai', 'acme')?.name).toBe('openai');
    for (const [name, slug] of [
      ['openai', 'other'],
      ['none', 'acme'],
      ['nothing', 'acme'],
      ['__proto__', 'acme'],
    ] as const) {
      expect(findEndpoint(endpoints, name, slug)).toBeNull();
    }
  });

  it.each<[string, string]>([
    ['no JSON', '['],
    ['no list', '{}'],
    ['a dialect that there is not', JSON.stringify([{ ...openai, dialect: 'gemini' }])],
    ['a name that is none', JSON.stringify([{ ...openai, name: 'A b' }])],
    ['a name twice', JSON.stringify([openai, openai])],
    ['an address with a key', JSON.stringify([{ ...openai, base_url: 'https://a.example/v1?key=1' }])],
    ['a maximum by no name', JSON.stringify([{ ...openai, maximum_field: 'most' }])],
    ['a field that is unknown', JSON.stringify([{ ...openai, api_key: 'x' }])],
  ])('are not %s', (_what, text) => {
    expect(listedModelEndpoints.safeParse(text).success).toBe(false);
  });
});
