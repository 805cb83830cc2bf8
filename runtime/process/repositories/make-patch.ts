/** The patch of a session: made in a sandbox without a network and without a secret. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MadePatch } from '../../workload.ts';
import { TooManyBytesError } from '../host/take-changes.ts';
import { StreamEndedError } from '../packages/piece-reader.ts';
import { readOnly } from '../render-sandbox.ts';
import { maxChangesBytes } from './agent-repository.ts';
import type { RepositoryLimits } from './fetch-repository.ts';
import { gitPaths } from './git.ts';
import { changesInside } from './job-stream.ts';
import type { JobMachine } from './render-job.ts';
import { repositoryFiles, soFarPrefix } from './repository-files.ts';
import { JobFailedError, type JobProblem, runJob } from './run-job.ts';
import { takeChangesSoFar } from './take-changes-so-far.ts';

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
    const place = { base: files.base, changes: files.changes, sandbox: files.patchSandbox };
    const made = await compare(place, options);
    rmSync(files.attempts);
    return made;
  } catch (error) {
    if (options.signal.aborted) {
      rmSync(files.attempts);
    }
    throw error;
  }
}

/** The program beside the agent looks twice a second; git has to look at each file. */
const handOverMs = 30_000;
/** Longer than an attempt takes: what is older was left by a worker that was killed. */
const leftAfterMs = 10 * 60_000;

interface SoFarOptions extends CompareOptions {
  /** Holds a place among all jobs while git compares; the agent decides how long its hand-over takes. */
  inTurn(compare: () => Promise<MadePatch>): Promise<MadePatch>;
}

/**
 * Of a session that runs. Throws for a fault of the worker, or the reason of the signal; both may be tried
 * again.
 */
export async function makePatchSoFar(
  directory: string,
  { inTurn, ...options }: SoFarOptions,
): Promise<MadePatch> {
  const files = repositoryFiles(directory);
  const isThere = () => existsSync(join(files.base, 'commit'));
  if (!isThere()) {
    return { problem: 'the files of the repository are not there' };
  }
  const { signal } = options;
  signal.throwIfAborted();
  removeLeftAttempts(files.own);
  const maxBytes = maxChangesBytes(options.limits.changesBytes);
  const attempt = randomBytes(4).toString('hex');
  const { place, changes, sandbox } = files.soFar(attempt);
  mkdirSync(place, { mode: 0o700 });
  try {
    await takeChangesSoFar(directory, { file: changes, attempt, maxBytes, limitMs: handOverMs, signal });
    const made = await inTurn(() => compare({ base: files.base, changes, sandbox }, options));
    if ('problem' in made && !isThere()) {
      throw new Error('the session was stopped while its patch was made');
    }
    return made;
  } catch (error) {
    if (!signal.aborted && isTimeout(error)) {
      return { problem: `the files of the agent were not handed over within ${handOverMs / 1000} s` };
    }
    if (error instanceof TooManyBytesError) {
      return { problem: 'the agent handed over more than it may' };
    }
    throw error;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function removeLeftAttempts(own: string): void {
  for (const name of readdirSync(own).filter((each) => each.startsWith(soFarPrefix))) {
    const found = statSync(join(own, name), { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < Date.now() - leftAfterMs) {
      rmSync(join(own, name), { recursive: true, force: true });
    }
  }
}

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';

/** False when there were too many. It is counted before, since it may end the worker. */
function beginAttempt(file: string): boolean {
  const attempts = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  writeFileSync(file, String(attempts + 1));
  return attempts < maxAttempts;
}

export interface CompareOptions {
  machine: JobMachine;
  limits: RepositoryLimits;
  signal: AbortSignal;
}

interface ComparePlace {
  base: string;
  changes: string;
  /** For the sandbox alone. */
  sandbox: string;
}

async function compare(
  { base, changes, sandbox: directory }: ComparePlace,
  { machine, limits, signal }: CompareOptions,
): Promise<MadePatch> {
  const { treeBytes, changesBytes, patchBytes, files: maxFiles, patchMs: limitMs } = limits;
  // What changed is there twice: as files, and as git keeps them.
  const workspaceBytes = treeBytes + 2 * changesBytes + patchBytes;
  const endsAtMs = Date.now() + limitMs;
  const make = () =>
    runJob({
      order: { type: 'patch', patchBytes, files: maxFiles },
      ...{ machine, directory, credential: null, caFile: null, workspaceBytes },
      // Both tries together.
      limitMs: Math.max(endsAtMs - Date.now(), 1),
      mounts: [...readOnly(base, gitPaths.base), ...readOnly(changes, changesInside)],
      signal,
      async take(made, reader) {
        if (made.type !== 'patch' || made.patchBytes > patchBytes) {
          throw new JobFailedError('too_large');
        }
        const patch = made.patchBytes === 0 ? Buffer.alloc(0) : await reader.exactly(made.patchBytes);
        if (patch === null) {
          throw new StreamEndedError('the patch did not follow');
        }
        return patch;
      },
    });
  try {
    // The agent's files are gone afterwards: what was killed by somebody else is worth a second try.
    const patch = await make().catch((error: unknown) => (wasKilled(error) ? make() : Promise.reject(error)));
    return { patch };
  } catch (error) {
    const problem = problemOf(error, limits);
    if (problem === null) {
      throw error;
    }
    return { problem };
  }
}

const wasKilled = (error: unknown) => error instanceof JobFailedError && error.why === 'killed';

/** Null for a fault of the worker. */
function problemOf(
  error: unknown,
  { changesBytes, patchBytes, files, patchMs }: RepositoryLimits,
): string | null {
  const megabytes = (bytes: number) => `${bytes / (1024 * 1024)} MiB`;
  const reasons: Partial<Record<JobProblem, string>> = {
    too_large: `more than ${megabytes(changesBytes)} of files changed, or the patch has more than ${megabytes(patchBytes)}`,
    too_many_files: `more than ${files} files changed`,
    broken_off: 'what the agent handed over breaks off',
    bad_files: 'the agent handed over files that are not allowed',
    no_tree: 'the files of the repository were not written out for the agent, which did not start',
    out_of_memory: 'comparing the files takes more memory than it may have',
    killed: 'what compares the files was killed twice, as what takes more memory than it may have is',
  };
  if (error instanceof JobFailedError && error.why !== 'no_result') {
    return reasons[error.why] ?? 'git could not compare the files of the agent with the repository';
  }
  return isTimeout(error) ? `it took longer than ${patchMs / 1000} s` : null;
}
