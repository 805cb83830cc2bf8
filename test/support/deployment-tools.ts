/** Helm, kubectl and Compose as the set-up found or built them (scripts/setup/deployment-tools.mjs). */
import { existsSync, readFileSync } from 'node:fs';
import { describe } from '@jest/globals';
import * as z from 'zod';

const file = '.cache/deployment-tools.json';
const program = z.string().nullable();
const tools = z.object({ helm: program, kubectl: program, 'docker-compose': program });
const found = existsSync(file)
  ? tools.parse(JSON.parse(readFileSync(file, 'utf8')))
  : { helm: null, kubectl: null, 'docker-compose': null };

/** The program's path. Throws where the set-up has not provided it. */
export function deploymentTool(name: keyof typeof found): string {
  const program = found[name];
  if (program === null) {
    throw new Error(`${name} is not here; npm test provides it`);
  }
  return program;
}

/** `describe` with these tools; without them the tests are skipped, and the end of the run names them. */
export const describeWithTool = (...names: (keyof typeof found)[]): typeof describe | typeof describe.skip =>
  names.some((name) => found[name] === null) ? describe.skip : describe;
