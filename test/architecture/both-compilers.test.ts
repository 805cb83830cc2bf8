/**
 * Belongs to the long mode: two compilers each read the whole tree.
 * Types are checked with TypeScript 7, and tools that need the API have 6: what one accepts is
 * right for the other, too.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const compilers = { 6: 'typescript', 7: 'typescript-7' };
const limitMs = 3_600_000;

function compile(name: string, ...args: string[]): { status: number | null; output: string } {
  const program = resolve('node_modules', name, 'bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return { status, output: stdout + stderr };
}

describe.each(Object.entries(compilers))('TypeScript %s', (major, name) => {
  it('is what its name says', () => {
    expect(compile(name, '--version').output).toMatch(new RegExp(`^Version ${major}\\.`));
  });

  it.each(['.', 'web'])(
    'accepts the project %s',
    (project) => {
      const settings = ['--incremental', 'false', '--tsBuildInfoFile', 'null'];
      expect(compile(name, '-p', project, ...settings)).toEqual({ status: 0, output: '' });
    },
    limitMs,
  );

  it(
    'refuses what is wrong by our settings',
    () => {
      mkdirSync('.cache', { recursive: true });
      const directory = mkdtempSync('.cache/compilers-');
      try {
        const settings = { extends: '../../tsconfig.json', compilerOptions: { incremental: false } };
        writeFileSync(
          join(directory, 'tsconfig.json'),
          JSON.stringify({ ...settings, include: ['*.ts'], exclude: [] }),
        );
        writeFileSync(join(directory, 'x.ts'), 'export const x = (list: string[]): string => list[0];\n');
        const { status, output } = compile(name, '-p', directory);
        expect(output).toMatch(/x\.ts\(1,46\): error TS2322: .*undefined/);
        expect(status).not.toBe(0);
      } finally {
        rmSync(directory, { recursive: true });
      }
    },
    limitMs,
  );
});
