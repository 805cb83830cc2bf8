/**
 * The service that makes vectors of texts for a workspace: any that speaks OpenAI's interface for embeddings.
 */
import * as z from 'zod';
import { secretReference, timestamp, uuid } from './names.ts';
import { vectorLimits } from './vectors.ts';

const model = z
  .string()
  .max(vectorLimits.modelLength)
  .regex(/^[\x21-\x7e]+$/, 'must be plain characters (ASCII) without spaces');

export const embeddingProviderInput = z.strictObject({
  /** `/embeddings` is added to its path. */
  base_url: z.string().min(1).max(2048),
  model,
  /** Asked of models that can shorten their vectors; null: as many as the model makes. */
  dimensions: z.int().min(1).max(vectorLimits.dimensions).nullable(),
  /** The secret that is sent as a bearer token; null for a provider that takes none. */
  api_key: secretReference.nullable(),
});
export type EmbeddingProviderInput = z.infer<typeof embeddingProviderInput>;

export const embeddingProvider = embeddingProviderInput.extend({
  updated_at: timestamp,
  updated_by: uuid.nullable(),
});
export type EmbeddingProvider = z.infer<typeof embeddingProvider>;

/** The outcome of asking the provider for the vector of one word. `reason` is a sentence of the platform. */
export const embeddingProviderCheck = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('works'), dimensions: z.int().positive() }),
  z.strictObject({ outcome: z.literal('failed'), reason: z.string() }),
]);
export type EmbeddingProviderCheck = z.infer<typeof embeddingProviderCheck>;
