/** The patch of an ended session: made in a sandbox without a network and without a secret. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readOnly } from '../render-sandbox.ts';
import type { RepositoryLimits } from './fetch-repository.ts';
import { gitPaths } from './git.ts';
import { changesInside, type JobFailure } from './job-stream.ts';
import type { JobMachine } from './render-job.ts';
import { repositoryFiles } from './repository-files.ts';
import { JobFailedError, runJob } from './run-job.ts';

/** An empty patch: nothing differs. */
export type MadePatch = { patch: Buffer } | { problem: string };

/** Null where the session has no repository, or never got it. */
export async function makePatch(
  directory: string,
  {
    machine,
    limits,
    workspaceBytes,
  }: { machine: JobMachine; limits: RepositoryLimits; workspaceBytes: number },
): Promise<MadePatch | null> {
  const files = repositoryFiles(directory);
  if (!existsSync(join(files.base, 'commit'))) {
    return null;
  }
  if (!existsSync(files.changes)) {
    return { problem: 'the files of the agent were not handed over at its end' };
  }
  const { patchBytes, files: maxFiles, patchMs: limitMs } = limits;
  try {
    const patch = await runJob({
      order: { type: 'patch', patchBytes, files: maxFiles },
      ...{ machine, directory: files.patchSandbox, credential: null, caFile: null, workspaceBytes, limitMs },
      mounts: [...readOnly(files.base, gitPaths.base), ...readOnly(files.changes, changesInside)],
      signal: new AbortController().signal,
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
    return { problem: problemOf(error, limits) };
  }
}

function problemOf(error: unknown, { changesBytes, patchBytes, files, patchMs }: RepositoryLimits): string {
  const megabytes = (bytes: number) => `${bytes / (1024 * 1024)} MiB`;
  const reasons: Partial<Record<JobFailure, string>> = {
    too_large: `more than ${megabytes(changesBytes)} of files changed, or the patch has more than ${megabytes(patchBytes)}`,
    too_many_files: `more than ${files} files changed`,
    bad_files: 'the agent handed over files that are not allowed',
  };
  if (error instanceof JobFailedError) {
    return reasons[error.why] ?? 'git could not compare the files of the agent with the repository';
  }
  const isTooLate = error instanceof DOMException && error.name === 'TimeoutError';
  return isTooLate ? `it took longer than ${patchMs / 1000} s` : "the worker's log says why";
}
