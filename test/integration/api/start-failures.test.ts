/**
 * What API and worker say when they do not start: a JSON line on standard output, like
 * everything that they log.
 */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { bundledProgram } from '../../support/bundled-program.ts';

const line = z.object({ level: z.literal(60), process: z.string(), msg: z.string(), time: z.number() });

function start(program: 'api' | 'worker', environment: Record<string, string>) {
  const command = bundledProgram(`bin/${program}.ts`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [command], {
    env: { PATH: process.env['PATH'], ...environment },
    encoding: 'utf8',
  });
  const lines = stdout.trim().split('\n');
  return { status, stdout, stderr, last: line.parse(JSON.parse(lines.at(-1) ?? '')) };
}

describe.each(['api', 'worker'] as const)('the %s', (program) => {
  it('names every wrong variable in one JSON line, and none of their values', () => {
    const { status, stderr, last } = start(program, { MASTER_KEYS: 'hunter2', DATABASE_POOL: 'many' });
    expect({ status, stderr, process: last.process }).toEqual({ status: 1, stderr: '', process: program });
    for (const variable of ['DATABASE_URL', 'MASTER_KEYS', 'DATABASE_POOL', 'TEMPORAL_ADDRESS']) {
      expect(last.msg).toContain(variable);
    }
    expect(last.msg).not.toContain('hunter2');
  });

  it('warns of a variable that is misspelled, and does not repeat its value', () => {
    const { status, stdout } = start(program, { RATE_USER_PER_MINUTES: 'hunter2' });
    expect(status).toBe(1);
    const [first = ''] = stdout.split('\n');
    expect(JSON.parse(first)).toMatchObject({
      level: 40,
      process: program,
      variable: 'RATE_USER_PER_MINUTES',
      msg: 'RATE_USER_PER_MINUTES is not read; is RATE_USER_PER_MINUTE meant?',
    });
    expect(stdout).not.toContain('hunter2');
  });

  it('names a file of a secret that cannot be read', () => {
    const { last } = start(program, { MASTER_KEYS_FILE: '/nothing/here' });
    expect(last.msg).toContain('MASTER_KEYS_FILE: /nothing/here cannot be read');
  });
});
