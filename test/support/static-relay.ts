/** The static relay that the set-up of `npm test` builds from relay/static/. */
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { describe } from '@jest/globals';

const program = resolve('dist/relay');

/** Its path, or null where it could not be built, without a C compiler or outside Linux. */
export function findStaticRelay(): string | null {
  try {
    accessSync(program, constants.X_OK);
    return program;
  } catch {
    return null;
  }
}

/** `describe`, for tests that run the static relay; they are skipped without it. */
export const describeWithStaticRelay: typeof describe | typeof describe.skip =
  findStaticRelay() === null ? describe.skip : describe;
