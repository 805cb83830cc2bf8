/** The package that the agent `claude` loads, as the set-up of the tests installed it. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from '@jest/globals';

const list = '.cache/claude.json';

/** The folder with its `node_modules`; null where it could not be had. */
export const claudeDirectory: string | null = existsSync(list)
  ? JSON.parse(readFileSync(list, 'utf8'))
  : null;

/** Of the SDK's native program. */
export const claudeProgram = (): string =>
  join(
    claudeDirectory ?? '',
    `node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`,
  );

export const claudeModules = (): string => resolve(claudeDirectory ?? '', 'node_modules');

/** `describe` with the package; without it the tests are skipped, and the end of the run names them. */
export const describeWithClaude: typeof describe | typeof describe.skip =
  claudeDirectory === null ? describe.skip : describe;
