/**
 * Collections of vectors that the sessions of a workspace's agents share. Ids and metadata are of agents, so
 * they are untrusted wherever they are read (docs/shared-data.md#what-agents-can-do-to-each-other).
 */
import * as z from 'zod';
import { timestamp, uuid } from './names.ts';
import { isStorable, name, properties, storable } from './stored-data.ts';

export const vectorLimits = {
  itemsPerUpsert: 100,
  collectionLength: 64,
  idLength: 256,
  dimensions: 4096,
  metadataBytes: 4 * 1024,
  textLength: 8000,
  matches: 100,
  idsPerDelete: 500,
  modelLength: 200,
  /** Of a workspace, in one answer. */
  collectionsShown: 500,
} as const;

export const collectionName = name(vectorLimits.collectionLength);
export const itemId = name(vectorLimits.idLength);
export const metadata = properties(vectorLimits.metadataBytes);

/** Of a stored vector. */
export const bytesPerNumber = 4;
const vectorForms = `must be a list of 1 to ${vectorLimits.dimensions} finite numbers, or the base64 of as many 32-bit floats, little-endian`;

/** Nothing more is said of a list of another length. */
const ends = { abort: true };

/**
 * A list of numbers, or the base64 of little-endian 32-bit floats, as OpenAI's interface has it: one JSON
 * value, which is also shorter.
 */
export const givenVector = z
  .union([z.array(z.number()).min(1, ends).max(vectorLimits.dimensions, ends), z.string()], vectorForms)
  .superRefine((given, context) => {
    const read = readVector(given);
    if ('problem' in read) {
      context.addIssue({ code: 'custom', message: read.problem });
    }
  });
export type GivenVector = z.output<typeof givenVector>;

export const embeddedText = z
  .string()
  .min(1)
  .max(vectorLimits.textLength)
  .refine(isStorable, storable)
  // One character may stand for 18.
  .refine(
    (text) => text.normalize('NFKC').length <= 2 * vectorLimits.textLength,
    'is too long once its ligatures are written out',
  )
  .refine((text) => text.trim() !== '', 'must not be blank');

export type ReadVector = { vector: Float32Array } | { problem: string };

/** What was given, as 32-bit floats of length 1: cosine similarity is about directions alone. Pure. */
export function readVector(given: readonly number[] | string): ReadVector {
  const numbers = typeof given === 'string' ? decodeFloats(given) : Float32Array.from(given);
  if (numbers === null) {
    return { problem: vectorForms };
  }
  return unitVector(numbers);
}

/** The vector of length 1 in the same direction. Pure. */
export function unitVector(numbers: Float32Array): ReadVector {
  let squares = 0;
  for (const number of numbers) {
    squares += number * number;
  }
  if (!Number.isFinite(squares)) {
    return { problem: 'must have finite 32-bit floats only' };
  }
  if (squares === 0) {
    return { problem: 'must not be all zeros: such a vector is similar to nothing' };
  }
  const length = Math.sqrt(squares);
  return { vector: numbers.map((number) => number / length) };
}

const base64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const maxBase64Length = Math.ceil((vectorLimits.dimensions * bytesPerNumber) / 3) * 4;

/** Null for anything that is no base64 of 32-bit floats. */
function decodeFloats(text: string): Float32Array | null {
  if (text.length > maxBase64Length || !base64.test(text)) {
    return null;
  }
  const bytes = Buffer.from(text, 'base64');
  return bytes.length % bytesPerNumber === 0 && bytes.length <= vectorLimits.dimensions * bytesPerNumber
    ? bytesToVector(bytes)
    : null;
}

/** The bytes of a vector as they are stored: little-endian 32-bit floats. */
export function vectorToBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * bytesPerNumber);
  for (const [at, number] of vector.entries()) {
    bytes.writeFloatLE(number, at * bytesPerNumber);
  }
  return bytes;
}

export function bytesToVector(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / bytesPerNumber }, (_, at) =>
    bytes.readFloatLE(at * bytesPerNumber),
  );
}

/**
 * Who makes the vectors of a collection: the agents themselves, the platform, or the
 * provider of the workspace.
 */
export const embedderName = z.enum(['given', 'local-hashed-ngrams', 'provider']);

/** What makes the vectors of a collection, for as long as it exists. */
export const embedder = z.strictObject({
  name: embedderName,
  /** Of the provider; null for the others. */
  model: z.string().nullable(),
});
export type Embedder = z.infer<typeof embedder>;

export const collection = z.strictObject({
  name: z.string(),
  dimensions: z.int().positive(),
  embedder,
  items: z.int().nonnegative(),
  created_at: timestamp,
  /** The session that wrote its first item, which may be gone. */
  created_by_session: uuid,
});
export type Collection = z.infer<typeof collection>;

export const match = z.strictObject({
  id: z.string(),
  /** Cosine similarity. */
  score: z.number().min(-1).max(1),
  metadata: z.record(z.string(), z.unknown()),
});
export type Match = z.infer<typeof match>;
