import { describe, expect, it } from '@jest/globals';
import { TokenCount } from '../../../../relay/model/token-count.ts';

const usage = {
  input_tokens: 10,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 30,
  output_tokens: 1,
};

function counting(maxTokens = 1000) {
  let now = 0;
  const tokens = new TokenCount({ estimatedInput: 99, maxTokens, nowMs: () => now });
  return {
    tokens,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

describe('what a request took', () => {
  it('is what the endpoint said last, to the end', () => {
    const { tokens, wait } = counting();
    tokens.sent();
    tokens.says(usage);
    tokens.shows(3000);
    wait(10_000);
    tokens.says({ output_tokens: 7 });
    expect(tokens.completed()).toEqual({ ...usage, output_tokens: 7, outcome: 'completed' });
  });

  it('is nothing of a request that was refused, or never sent', () => {
    const { tokens, wait } = counting();
    wait(10_000);
    const none = {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
      outcome: 'failed',
    };
    expect(tokens.cut()).toEqual(none);
    tokens.sent();
    expect(tokens.refused()).toEqual(none);
  });

  it('is estimated of an answer that was cut: what arrived, or could be written in the time, and no more than was allowed', () => {
    const early = counting();
    early.tokens.sent();
    expect(early.tokens.cut()).toMatchObject({ input_tokens: 99, output_tokens: 0, outcome: 'failed' });
    early.tokens.shows(300);
    expect(early.tokens.cut()).toMatchObject({ output_tokens: 100 });
    early.wait(2000);
    expect(early.tokens.cut()).toMatchObject({ output_tokens: 400 });
    early.wait(60_000);
    expect(early.tokens.cut()).toMatchObject({ output_tokens: 1000 });
    early.tokens.says({ ...usage, output_tokens: 1200 });
    expect(early.tokens.cut()).toMatchObject({ input_tokens: 10, output_tokens: 1200 });
  });

  it('is estimated of a whole answer whose endpoint says nothing', () => {
    const { tokens } = counting();
    tokens.sent();
    tokens.shows(30);
    expect(tokens.completed()).toMatchObject({ input_tokens: 99, output_tokens: 10, outcome: 'completed' });
  });

  it('is estimated where the endpoint says that it was none', () => {
    const { tokens } = counting();
    tokens.sent();
    tokens.shows(30);
    tokens.says({ input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 });
    expect(tokens.completed()).toMatchObject({ input_tokens: 99, output_tokens: 10 });
    tokens.says({ cache_read_input_tokens: 7, output_tokens: 1 });
    expect(tokens.completed()).toMatchObject({
      input_tokens: 0,
      cache_read_input_tokens: 7,
      output_tokens: 1,
    });
  });

  it('is no number that a hostile endpoint says', () => {
    const { tokens } = counting();
    tokens.sent();
    for (const bad of [-1, 1.5, Number.NaN, 2 ** 60, '5', null, {}]) {
      tokens.says({ input_tokens: bad, output_tokens: bad });
    }
    tokens.says(null);
    tokens.says([]);
    tokens.says({ ...usage, input_tokens: 5_000_000_000 });
    tokens.says({ output_tokens: 0 });
    expect(tokens.completed()).toMatchObject({ input_tokens: 1_000_000_000, output_tokens: 1 });
  });
});
