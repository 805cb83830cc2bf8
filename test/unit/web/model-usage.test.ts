import { describe, expect, it } from '@jest/globals';
import { fieldOf, hasField, newAgent, problemsOf } from '../../../web/src/pages/agents/agent-values.ts';
import {
  modelAccessOf,
  modelAccessValuesOf,
  noModelAccess,
} from '../../../web/src/pages/agents/model-access-values.ts';
import {
  budgetText,
  reachedText,
  requestsText,
  tokenParts,
  tokensText,
  usedPercent,
} from '../../../web/src/pages/sessions/model-usage-text.ts';

const usage = {
  requests: 12,
  failed_requests: 0,
  input_tokens: 1200,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 30,
  output_tokens: 0,
  reserved_tokens: 4000,
  counted_tokens: 5230,
  requests_limit: 1000,
  tokens_limit: 10_000,
  reached: null,
};

describe("a session's model usage", () => {
  it('is said with its limits, and only the parts that there are', () => {
    expect(requestsText(usage)).toBe('12 of 1,000');
    expect(requestsText({ ...usage, failed_requests: 2 })).toBe('12 of 1,000, 2 of them failed');
    expect(tokensText(usage)).toBe('5,230 of 10,000');
    expect(tokenParts(usage)).toBe(
      '1,200 input, 30 read from the cache, 4,000 set aside for answers that are not finished',
    );
  });

  it('is as full as the tighter limit, and at most full', () => {
    expect(usedPercent(usage)).toBe(52);
    expect(usedPercent({ ...usage, requests: 900 })).toBe(90);
    expect(usedPercent({ ...usage, counted_tokens: 20_000 })).toBe(100);
  });

  it('names the limit that refused a request', () => {
    expect(reachedText(usage)).toBeNull();
    expect(reachedText({ ...usage, reached: 'tokens' })).toBe(
      'A request was refused: the limit of tokens is reached.',
    );
  });

  it('says what a reached budget means for messages', () => {
    expect(budgetText(usage)).toBeNull();
    expect(budgetText({ ...usage, requests: 1000, reached: 'requests' })).toBe(
      'The agent has used up its budget of 1,000 requests: its model answers no more in this session, and messages do not help.',
    );
    expect(budgetText({ ...usage, counted_tokens: 10_000, reached: 'tokens' })).toContain(
      'used up its budget of 10,000 tokens',
    );
    expect(budgetText({ ...usage, reached: 'tokens' })).toBe(
      'The agent asked its model for more than is left of its budget of 10,000 tokens. Messages may not help in this session.',
    );
  });
});

describe("an agent's model access in its form", () => {
  it('is nothing without a key', () => {
    expect(modelAccessValuesOf(null)).toEqual(noModelAccess);
    expect(modelAccessOf({ ...noModelAccess, models: 'a-model', requests: 5 })).toBeNull();
  });

  it('has the defaults where a limit is left empty', () => {
    expect(modelAccessOf({ ...noModelAccess, key: 'KEY', models: 'a-model\n\nb-model ' })).toEqual({
      endpoint: 'default',
      api_key: '${KEY}',
      models: ['a-model', 'b-model'],
      requests_per_session: 1000,
      tokens_per_session: 5_000_000,
    });
  });

  it('shows each problem at its field', () => {
    const paths = ['', '.api_key', '.endpoint', '.models.1', '.requests_per_session', '.tokens_per_session'];
    const fields = paths.map((path) => fieldOf(newAgent, `model_access${path}`));
    expect(fields).toEqual([
      'modelAccess.key',
      'modelAccess.key',
      'modelAccess.endpoint',
      'modelAccess.models',
      'modelAccess.requests',
      'modelAccess.tokens',
    ]);
    expect(fields.every(hasField)).toBe(true);
    const modelAccess = { ...noModelAccess, key: 'KEY', models: 'a b', requests: 0, tokens: 1 };
    const problems = problemsOf({ ...newAgent, name: 'a', modelAccess });
    expect(Object.keys(problems)).toEqual(
      expect.arrayContaining(['modelAccess.models', 'modelAccess.requests']),
    );
    expect(problems).not.toHaveProperty('modelAccess.tokens');
  });
});
