import { describe, expect, it } from '@jest/globals';
import {
  embeddingPolicy,
  embeddingsUrl,
  urlProblems,
} from '../../../../api/embedding-provider/provider-url.ts';

const policy = embeddingPolicy(
  new Map([
    ['models.internal', 'https'],
    ['127.0.0.1:11434', 'http'],
  ] as const),
);

describe('the address of an embedding provider', () => {
  it.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1/embeddings'],
    ['https://api.example.com/v1/', 'https://api.example.com/v1/embeddings'],
    ['https://api.example.com', 'https://api.example.com/embeddings'],
    ['https://models.internal/v1', 'https://models.internal/v1/embeddings'],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1/embeddings'],
  ])('%s is asked at %s', (base, url) => {
    expect(urlProblems(policy, base)).toEqual([]);
    expect(embeddingsUrl(base)?.href).toBe(url);
  });

  it.each([
    ['api.example.com', /must be a web address/],
    ['ftp://api.example.com', /must be a web address/],
    ['https://user:pass@api.example.com/v1', /must be a web address/],
    ['https://api.example.com/v1?key=1', /must be a web address/],
    ['https://api.example.com/v1#a', /must be a web address/],
    ['https://api.example.com\\@evil.example/v1', /must be a web address/],
    ['https://api.example.com/ v1', /must be a web address/],
    ['http://api.example.com/v1', /must begin with https/],
    ['http://models.internal/v1', /must begin with https/],
    ['https://127.0.0.1/v1', /is never connected to|private address/],
    ['https://10.0.0.1/v1', /private address/],
    ['https://[::1]/v1', /is never connected to|private address/],
    ['https://169.254.169.254/latest', /is never connected to/],
    ['https://2130706433/v1', /is never connected to|private address/],
  ])('%s is refused', (base, message) => {
    expect(urlProblems(policy, base)).toEqual([
      { path: 'base_url', code: 'url_refused', message: expect.stringMatching(message) },
    ]);
  });
});
