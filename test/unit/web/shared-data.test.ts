import { expect, it } from '@jest/globals';
import { counted, embedderText } from '../../../web/src/pages/data/data-text.ts';
import { embeddingInputOf, embeddingValuesOf } from '../../../web/src/pages/settings/embedding-values.ts';

it('counts in words', () => {
  expect([0, 1, 2, 1234].map((count) => counted(count, 'node', 'nodes'))).toEqual([
    '0 nodes',
    '1 node',
    '2 nodes',
    '1,234 nodes',
  ]);
});

it('says what makes vectors', () => {
  expect(embedderText({ name: 'given', model: null })).toBe('agents');
  expect(embedderText({ name: 'local-hashed-ngrams', model: null })).toBe('texts, by their spelling');
  expect(embedderText({ name: 'provider', model: 'm-1' })).toBe('embedding provider, model m-1');
});

it('sends what the form of the embedding provider holds', () => {
  const stored = {
    ...{ base_url: 'https://a.example/v1', model: 'm', dimensions: 3, api_key: '${KEY}' },
    ...{ updated_at: '2026-01-01T00:00:00.000Z', updated_by: null },
  };
  const values = embeddingValuesOf(stored);
  expect(values).toEqual({ base_url: 'https://a.example/v1', model: 'm', dimensions: 3, secret: 'KEY' });
  expect(embeddingInputOf({ ...values, base_url: ' https://a.example/v1 ' })).toEqual({
    ...{ base_url: 'https://a.example/v1', model: 'm', dimensions: 3, api_key: '${KEY}' },
  });
  expect(embeddingInputOf(embeddingValuesOf(null))).toEqual({
    ...{ base_url: '', model: '', dimensions: null, api_key: null },
  });
});
