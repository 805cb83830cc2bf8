/** The patch of an ended session: made in a sandbox without a network and without a secret. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOnly } from '../render-sandbox.ts';
import type { RepositoryLimits } from './fetch-repository.ts';
import { gitPaths } from './git.ts';
import { changesInside } from './job-stream.ts';
import type { JobMachine } from './render-job.ts';
import { repositoryFiles } from './repository-files.ts';
import { JobFailedError, type JobProblem, runJob } from './run-job.ts';

/** An empty patch: nothing differs. */
export type MadePatch = { patch: Buffer } | { problem: string };

/** A worker may be restarted meanwhile; what fails more often than that fails always. */
const maxAttempts = 5;

/**
 * Null where the session has no repository, or never got it. Throws for a fault of the worker, so that it is
 * tried again.
 */
export async function makePatch(directory: string, options: CompareOptions): Promise<MadePatch | null> {
  const files = repositoryFiles(directory);
  if (!existsSync(join(files.base, 'commit'))) {
    return null;
  }
  if (!existsSync(files.changes)) {
    return { problem: 'the files of the agent were not handed over at its end' };
  }
  if (!beginAttempt(files.attempts)) {
    return { problem: `the worker failed to make it ${maxAttempts} times; its log says why` };
  }
  try {
    const made = await compare(files, options);
    rmSync(files.attempts);
    return made;
  } catch (error) {
    if (options.signal.aborted) {
      rmSync(files.attempts);
    }
    throw error;
  }
}

/** False when there were too many. It is counted before, since it may end the worker. */
function beginAttempt(file: string): boolean {
  const attempts = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  writeFileSync(file, String(attempts + 1));
  return attempts < maxAttempts;
}

interface CompareOptions {
  machine: JobMachine;
  limits: RepositoryLimits;
  signal: AbortSignal;
}

async function compare(
  files: ReturnType<typeof repositoryFiles>,
  { machine, limits, signal }: CompareOptions,
): Promise<MadePatch> {
  const { treeBytes, changesBytes, patchBytes, files: maxFiles, patchMs: limitMs } = limits;
  // What changed is there twice: as files, and as git keeps them.
  const workspaceBytes = treeBytes + 2 * changesBytes + patchBytes;
  try {
    const patch = await runJob({
      order: { type: 'patch', patchBytes, files: maxFiles },
      ...{ machine, directory: files.patchSandbox, credential: null, caFile: null, workspaceBytes, limitMs },
      mounts: [...readOnly(files.base, gitPaths.base), ...readOnly(files.changes, changesInside)],
      signal,
      async take(made, reader) {
        if (made.type !== 'patch' || made.patchBytes > patchBytes) {
          throw new JobFailedError('too_large');
        }
        return made.patchBytes === 0
          ? Buffer.alloc(0)
          : ((await reader.exactly(made.patchBytes)) ?? Buffer.alloc(0));
      },
    });
    return { patch };
  } catch (error) {
    const problem = problemOf(error, limits);
    if (problem === null) {
      throw error;
    }
    return { problem };
  }
}

/** Null for a fault of the worker. */
function problemOf(
  error: unknown,
  { changesBytes, patchBytes, files, patchMs }: RepositoryLimits,
): string | null {
  const megabytes = (bytes: number) => `${bytes / (1024 * 1024)} MiB`;
  const reasons: Partial<Record<JobProblem, string>> = {
    too_large: `more than ${megabytes(changesBytes)} of files changed, or the patch has more than ${megabytes(patchBytes)}`,
    too_many_files: `more than ${files} files changed`,
    bad_files: 'the agent handed over files that are not allowed',
    no_tree: 'the files of the repository were not written out for the agent, which did not start',
    out_of_memory: 'comparing the files takes more memory than it may have',
  };
  if (error instanceof JobFailedError && error.why !== 'no_result') {
    return reasons[error.why] ?? 'git could not compare the files of the agent with the repository';
  }
  const isTooLate = error instanceof DOMException && error.name === 'TimeoutError';
  return isTooLate ? `it took longer than ${patchMs / 1000} s` : null;
}
