import { describe } from '@jest/globals';
import { pgvectorDirectories } from './pgvector.ts';

/** `describe` with pgvector; without it the tests are skipped, and the end of the run names them. */
export const describeWithPgvector: typeof describe | typeof describe.skip =
  pgvectorDirectories === null ? describe.skip : describe;
