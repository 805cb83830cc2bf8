/** What a provider answers: nothing of it is believed before it was counted and measured. Pure. */
import * as z from 'zod';
import { unitVector, vectorLimits } from '../../contract/vectors.ts';
import { parseBoundedJson } from '../../lib/outbound/bounded-json.ts';
import { askAdmin, EmbeddingError } from './errors.ts';

const answer = z.object({
  data: z.array(
    z.object({
      index: z.int().nonnegative(),
      embedding: z.array(z.number()).min(1).max(vectorLimits.dimensions),
    }),
  ),
});

/** Beside the numbers: members of the answer and of each vector. */
const otherValues = 1000;

/**
 * The vectors of `texts` texts, in their order, of length 1. Throws EmbeddingError for an answer that is no
 * JSON of this form, or has another number of vectors, two for one text, other dimensions than `dimensions`
 * or each other's, or a vector without a direction.
 */
export function readAnswer(
  bytes: Buffer,
  { texts, dimensions }: { texts: number; dimensions: number | null },
): Float32Array[] {
  const json = parseBoundedJson(bytes, texts * (vectorLimits.dimensions + 20) + otherValues);
  if ('problem' in json) {
    throw unusable(`an answer that ${json.problem}`);
  }
  const parsed = answer.safeParse(json.value);
  if (!parsed.success) {
    throw unusable('an answer that is no list of vectors of finite numbers');
  }
  const { data } = parsed.data;
  const places = new Set(data.map(({ index }) => index));
  if (data.length !== texts || places.size !== texts || data.some(({ index }) => index >= texts)) {
    throw unusable(`${data.length} vectors for ${texts} texts, or several for one text`);
  }
  const wanted = dimensions ?? data[0]?.embedding.length;
  return data
    .toSorted((one, other) => one.index - other.index)
    .map(({ embedding }) => {
      if (embedding.length !== wanted) {
        throw unusable(`a vector of ${embedding.length} dimensions where ${wanted} are expected`);
      }
      const unit = unitVector(Float32Array.from(embedding));
      if ('problem' in unit) {
        throw unusable(`a vector that cannot be used: it ${unit.problem}`);
      }
      return unit.vector;
    });
}

const unusable = (what: string) =>
  new EmbeddingError('unusable_answer', `The embedding provider of the workspace sent ${what}; ${askAdmin}`);
