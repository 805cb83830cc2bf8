/** Runs git within a sandbox, with the platform's own settings. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { JobFailure } from '../job-stream.ts';

export class JobError extends Error {
  readonly why: JobFailure;

  constructor(why: JobFailure) {
    super(why);
    this.why = why;
  }
}

/** Of whatever ended a job. */
export function jobFailureOf(error: unknown): JobFailure {
  return error instanceof JobError ? error.why : isFull(error) ? 'too_large' : 'git_failed';
}

/** Whether the sandbox has no room for more files. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOSPC';

interface GitOptions {
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** Of its output; more is `too_large`. */
  maxBytes?: number;
  /** Its output goes there instead of memory. */
  file?: string;
}

export interface GitRun {
  exitCode: number | null;
  output: Buffer;
  written: string;
}

const keptBytes = 16 * 1024;
const outputBytes = 64 * 1024 * 1024;

/** Ends git when it writes more than it may. Throws JobError for that, or what its file failed with. */
export async function runGit(
  [program = '', ...args]: readonly string[],
  options: GitOptions,
): Promise<GitRun> {
  const { env, cwd = '/workspace', maxBytes = outputBytes, file } = options;
  const child = spawn(program, args, { env: { ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const target = file === undefined ? null : createWriteStream(file);
  const pieces: Buffer[] = [];
  let bytes = 0;
  let written = '';
  let fault: Error | null = null;
  target?.once('error', (error) => {
    fault = error;
    child.kill('SIGKILL');
    // Also what git started then finds that nobody reads.
    child.stdout.destroy();
  });
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) {
      child.kill('SIGKILL');
    } else if (target === null) {
      pieces.push(piece);
    } else if (fault === null && !target.write(piece)) {
      child.stdout.pause();
      target.once('drain', () => child.stdout.resume());
    }
  });
  child.stderr.on('data', (piece: Buffer) => {
    written = (written + String(piece)).slice(-keptBytes);
  });
  const [exitCode] = await once(child, 'close');
  if (fault !== null) {
    throw fault;
  }
  if (target !== null) {
    target.end();
    await once(target, 'close');
  }
  if (bytes > maxBytes) {
    throw new JobError('too_large');
  }
  return { exitCode: typeof exitCode === 'number' ? exitCode : null, output: Buffer.concat(pieces), written };
}

/** Throws JobError when it fails. */
export async function mustRunGit(command: readonly string[], options: GitOptions): Promise<Buffer> {
  const { exitCode, output, written } = await runGit(command, options);
  if (exitCode !== 0) {
    throw new JobError(exitCode === null ? 'killed' : causeOf(written));
  }
  return output;
}

/** Of a program that git started; lines that the host wrote say nothing of it. */
export const isKilled = (written: string): boolean =>
  written.split(/[\r\n]/).some((line) => !/^\s*remote:/.test(line) && line.includes('died of signal 9'));

function causeOf(written: string): JobFailure {
  if (/No space left on device/.test(written)) {
    return 'too_large';
  }
  if (isKilled(written)) {
    return 'killed';
  }
  return /out of memory|Cannot allocate memory/i.test(written) ? 'out_of_memory' : 'git_failed';
}
