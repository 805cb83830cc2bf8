/** Runs one job in its sandbox, and takes what it hands over. */
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename } from 'node:path';
import { withinLimit } from '../../../lib/timing/time-limit.ts';
import { handedOver } from '../handed-over.ts';
import { type StartedContainer, startContainer } from '../host/start-container.ts';
import { sessionFiles } from '../layout.ts';
import { type PieceReader, readPieces } from '../packages/piece-reader.ts';
import { makeSessionDirectory } from '../session-directory.ts';
import { type JobFailure, type JobOrder, type JobResult, jobResult, jobSockets } from './job-stream.ts';
import { readRecord } from './read-record.ts';
import { type JobMachine, jobContainer, renderJob } from './render-job.ts';

/** Also without a word: its sandbox ended. */
export type JobProblem = JobFailure | 'no_result';

/** A job that made nothing. */
export class JobFailedError extends Error {
  override name = 'JobFailedError';
  readonly why: JobProblem;

  constructor(why: JobProblem) {
    super(`the job of a repository failed: ${why}`);
    this.why = why;
  }
}

type Made = Exclude<JobResult, { type: 'failed' }>;

export interface Job<Result> {
  order: JobOrder;
  machine: JobMachine;
  /** For the sandbox alone; it is made, and removed afterwards. */
  directory: string;
  credential: string | null;
  caFile: string | null;
  mounts: readonly string[];
  workspaceBytes: number;
  limitMs: number;
  signal: AbortSignal;
  /** Opens what else the sandbox reaches, by a path for each of its sockets; returns how to close it. */
  open?: (socketPath: (name: string) => string) => Promise<{ close(): void }>;
  /** Reads what follows the result. */
  take(result: Made, reader: PieceReader): Promise<Result>;
}

/** Throws JobFailedError, a TimeoutError after the limit, or the reason of `signal`. */
export async function runJob<Result>(job: Job<Result>): Promise<Result> {
  const { directory, order, limitMs, signal } = job;
  signal.throwIfAborted();
  // A worker that was killed leaves its sockets, at which nothing else can listen.
  rmSync(directory, { recursive: true, force: true });
  // Fails where the session's directory was removed meanwhile, which nothing makes again.
  mkdirSync(directory, { mode: 0o700 });
  makeSandboxDirectory(directory);
  const sockets = openSync(sessionFiles(directory).serverView(jobContainer.name), 'r');
  // A socket's path has 107 bytes at most.
  const socketPath = (name: string) => `/proc/self/fd/${sockets}/${name}`;
  const result = createServer();
  let opened: { close(): void } | null = null;
  let started: StartedContainer | null = null;
  try {
    opened = (await job.open?.(socketPath)) ?? null;
    result.listen(socketPath(jobSockets.result));
    await once(result, 'listening');
    const program = await startContainer({ ...renderJob(order, job), name: basename(directory) }, 'ignore');
    started = program;
    return await withinLimit(limitMs, signal, (limited) => taken(job, { program, result, signal: limited }));
  } finally {
    started?.process.kill('SIGKILL');
    opened?.close();
    result.close();
    closeSync(sockets);
    rmSync(directory, { recursive: true, force: true });
  }
}

function makeSandboxDirectory(directory: string): void {
  makeSessionDirectory(directory, {
    config: null,
    containers: [jobContainer],
    relay: { node: '', program: '' },
  });
}

interface Taking {
  program: StartedContainer;
  result: Server;
  signal: AbortSignal;
}

/** Whichever comes first: the result, the sandbox's end without one, or the signal. */
async function taken<Result>({ take }: Job<Result>, { program, result, signal }: Taking): Promise<Result> {
  return handedOver(result, {
    process: program.process,
    signal,
    async receive(socket) {
      const reader = readPieces(socket);
      const made = await readRecord(reader, jobResult);
      if (made.type === 'failed') {
        throw new JobFailedError(made.why);
      }
      return await take(made, reader);
    },
    async endedWithout() {
      throw new JobFailedError(withoutResult(program));
    },
  });
}

/** Bubblewrap ends with the code that stands for the signal which ended its program. */
const killedCode = 137;

/** Why a sandbox that has ended left no result. */
function withoutResult({ process: { exitCode, signalCode } }: StartedContainer): JobProblem {
  return signalCode === 'SIGKILL' || exitCode === killedCode ? 'killed' : 'no_result';
}
