import { readFileSync } from 'node:fs';
import * as z from 'zod';

const found = z.object({ temporal: z.string() });

/** The path of the Temporal program that the set-up found. Throws when there was no set-up. */
export const temporalProgram = (): string =>
  found.parse(JSON.parse(readFileSync('.cache/tools.json', 'utf8'))).temporal;
