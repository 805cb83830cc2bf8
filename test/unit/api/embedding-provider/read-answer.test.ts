import { describe, expect, it } from '@jest/globals';
import { EmbeddingError } from '../../../../api/embedding-provider/errors.ts';
import { readAnswer } from '../../../../api/embedding-provider/read-answer.ts';

const one = { index: 0, embedding: [3, 4] };
const two = { index: 1, embedding: [0, 5] };
const read = (body: unknown, dimensions: number | null = null) =>
  readAnswer(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), { texts: 2, dimensions });

describe('what a provider answers', () => {
  it('is read in the order of the texts, of length 1, whatever else it says', () => {
    const answer = { object: 'list', model: 'm', usage: {}, data: [{ ...two, object: 'embedding' }, one] };
    expect(read(answer, 2)).toEqual([Float32Array.of(0.6, 0.8), Float32Array.of(0, 1)]);
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '<html>', /an answer that is not JSON;/],
    ['NaN', '{"data":[{"index":0,"embedding":[NaN,1]}]}', /is not JSON/],
    ['something else', { error: { message: 'key sk-1' } }, /is no list of vectors of finite numbers/],
    ['base64', { data: [{ index: 0, embedding: 'AACAPw==' }, two] }, /no list of vectors/],
    [
      'infinity',
      '{"data":[{"index":0,"embedding":[1e400,1]},{"index":1,"embedding":[1,1]}]}',
      /no list of vectors/,
    ],
    ['a vector without numbers', { data: [{ index: 0, embedding: [] }, two] }, /no list of vectors/],
    ['no vectors', { data: [] }, /sent 0 vectors for 2 texts/],
    ['too few vectors', { data: [one] }, /sent 1 vectors for 2 texts/],
    ['too many vectors', { data: [one, two, { ...two, index: 2 }] }, /sent 3 vectors for 2 texts/],
    ['two for one text', { data: [one, one] }, /several for one text/],
    ['one for a text that was not sent', { data: [one, { ...two, index: 7 }] }, /several for one text/],
    [
      'different dimensions',
      { data: [one, { index: 1, embedding: [1] }] },
      /of 1 dimensions where 2 are expected/,
    ],
    ['zeros', { data: [one, { index: 1, embedding: [0, 0] }] }, /it must not be all zeros/],
    [
      'what no 32-bit float holds',
      { data: [one, { index: 1, embedding: [1e39, 0] }] },
      /finite 32-bit floats/,
    ],
    ['a million values', `{"data":[${'{},'.repeat(500_000)}{}]}`, /holds more than \d+ JSON values/],
  ])('is not used when it has %s', (_what, body, message) => {
    expect(() => read(body)).toThrow(message);
    expect(() => read(body)).toThrow(EmbeddingError);
    expect(() => read(body)).not.toThrow(/sk-1/);
  });

  it('has the dimensions that were asked for', () => {
    expect(() => read({ data: [one, two] }, 3)).toThrow(/a vector of 2 dimensions where 3 are expected/);
  });
});
