/** The uv that the set-up of the tests installed. */
import { existsSync, readFileSync } from 'node:fs';
import { describe } from '@jest/globals';

const list = '.cache/uv.json';

/** Null where it could not be had. */
export const uvProgram: string | null = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : null;

/** `describe` with uv; without it the tests are skipped, and the end of the run names them. */
export const describeWithUv: typeof describe | typeof describe.skip =
  uvProgram === null ? describe.skip : describe;
