/**
 * Fetches a session's repository, in a sandbox that has the host's credential, one way out to that host, and
 * runs nothing of what it fetched. What it hands over is kept as it came.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { OutboundPolicy } from '../../../lib/outbound/policy.ts';
import { namesUnder } from '../../../lib/outbound/resolve-names.ts';
import { WorkloadFailedError } from '../../workload.ts';
import { type EgressSeen, type OutboundProxy, openEgress } from '../packages/egress.ts';
import type { PieceReader } from '../packages/piece-reader.ts';
import { caFileInside } from '../render-sandbox.ts';
import { jobSockets } from './job-stream.ts';
import type { JobMachine } from './render-job.ts';
import { repositoryFiles } from './repository-files.ts';
import { JobFailedError, type JobProblem, runJob } from './run-job.ts';

export interface RepositorySettings {
  /** Hosts that may have a private address. */
  privateHosts: OutboundPolicy['privateHosts'];
  outboundProxy: OutboundProxy | null;
  /** PEM of the operator's own authorities, on this machine. */
  caFile: string | null;
  limits: RepositoryLimits;
}

export interface RepositoryLimits {
  /** Of the pack, and of all that is received. */
  packBytes: number;
  /** Of the files, written out. */
  treeBytes: number;
  files: number;
  fetchMs: number;
  silenceMs: number;
  /** Of the files that differ at the session's end. */
  changesBytes: number;
  /** As of any artifact. */
  patchBytes: number;
  patchMs: number;
}

const mebibyte = 1024 * 1024;
/** The tree is in the memory of the agent's sandbox, which needs room for its work as well. */
export const repositoryLimits = (workspaceBytes: number): RepositoryLimits => ({
  packBytes: Math.min(256 * mebibyte, workspaceBytes),
  treeBytes: Math.floor(workspaceBytes / 2),
  files: 50_000,
  fetchMs: 120_000,
  silenceMs: 30_000,
  changesBytes: 32 * mebibyte,
  patchBytes: 10 * mebibyte,
  patchMs: 30_000,
});

export interface RepositoryToFetch {
  workspaceId: string;
  name: string;
  url: string;
  ref: string;
  credential: string | null;
}

interface FetchOptions {
  machine: JobMachine;
  settings: RepositorySettings;
  /** The session's. */
  directory: string;
  signal: AbortSignal;
}

/** Throws WorkloadFailedError with a sentence for people, or the reason of `signal`. */
export async function fetchRepository(
  repository: RepositoryToFetch,
  { machine, settings, directory, signal }: FetchOptions,
): Promise<void> {
  const { url, ref, credential, workspaceId } = repository;
  const { limits, privateHosts, outboundProxy } = settings;
  const policy = { privateHosts, setting: 'PRIVATE_REPOSITORY_HOSTS of the worker' };
  const names = namesUnder(policy);
  const files = repositoryFiles(directory);
  mkdirSync(join(files.base, 'objects/pack'), { recursive: true, mode: 0o700 });
  mkdirSync(join(directory, files.taker), { recursive: true, mode: 0o700 });
  writeFileSync(files.workspace, workspaceId);
  const { packBytes, treeBytes } = limits;
  const stopped = new AbortController();
  let seen = (): EgressSeen | null => null;
  let isTooMuch = false;
  const caFile = writeAuthorities(files.authorities, settings.caFile);
  try {
    await runJob({
      order: {
        ...{ type: 'fetch', url, ref, packBytes, treeBytes, files: limits.files },
        caFile: caFile === null ? null : caFileInside,
      },
      ...{ machine, credential, caFile, directory: files.fetchSandbox, mounts: [] },
      // The pack, as it arrives and as git keeps it.
      workspaceBytes: 2 * packBytes,
      limitMs: limits.fetchMs,
      signal: AbortSignal.any([signal, stopped.signal]),
      async open(socketPath) {
        const egress = await openEgress({
          socketPath: socketPath(jobSockets.egress),
          destinations: [new URL(url)],
          guard: { policy, resolveName: (hostname, ended) => names(hostname, ended, workspaceId) },
          ...{ outboundProxy, silenceMs: limits.silenceMs, maxBytes: packBytes + mebibyte },
          onTooMuch() {
            isTooMuch = true;
            stopped.abort(new JobFailedError('too_large'));
          },
        });
        seen = () => egress.seen();
        return egress;
      },
      async take(made, reader) {
        if (made.type !== 'fetched' || made.packBytes + made.indexBytes > packBytes) {
          throw new JobFailedError('too_large');
        }
        const pack = join(files.base, `objects/pack/pack-${made.commit}`);
        await store(`${pack}.pack`, reader, made.packBytes);
        await store(`${pack}.idx`, reader, made.indexBytes);
        // It says that all of it is there, and so is written last, and whole.
        writeFileSync(join(files.base, 'commit.unfinished'), made.commit);
        renameSync(join(files.base, 'commit.unfinished'), join(files.base, 'commit'));
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    const why = isTooMuch ? 'too_large' : whyOf(error);
    if (why === null) {
      throw error;
    }
    throw new WorkloadFailedError(sentenceOf(why, repository, { limits, seen: seen() }));
  }
}

/** Of a session whose repository was to be fetched, else null: another worker may end it. */
export function readWorkspace(directory: string): string | null {
  const { workspace } = repositoryFiles(directory);
  return existsSync(workspace) ? readFileSync(workspace, 'utf8') : null;
}

/** Null where it is no fault of the repository's. */
function whyOf(error: unknown): JobProblem | 'too_late' | null {
  if (error instanceof JobFailedError) {
    return error.why;
  }
  return error instanceof DOMException && error.name === 'TimeoutError' ? 'too_late' : null;
}

async function store(path: string, reader: PieceReader, sizeBytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o400);
  try {
    for await (const piece of reader.pieces(sizeBytes)) {
      await file.writeFile(piece);
    }
  } finally {
    await file.close();
  }
}

/** All in one file: git trusts those in the file alone. */
function writeAuthorities(target: string, caFile: string | null): string | null {
  if (caFile === null) {
    return null;
  }
  writeFileSync(target, [...rootCertificates, readFileSync(caFile, 'utf8')].join('\n'));
  return target;
}

interface Facts {
  limits: RepositoryLimits;
  seen: EgressSeen | null;
}

/** Nothing that the host or git wrote is in it. */
function sentenceOf(
  why: JobProblem | 'too_late',
  { name, url, ref }: RepositoryToFetch,
  { limits, seen }: Facts,
): string {
  const { host } = new URL(url);
  const megabytes = (bytes: number) => `${Math.floor(bytes / mebibyte)} MiB`;
  const broken = seen?.broken?.why;
  const reasons: Record<JobProblem | 'too_late', string> = {
    refused: `${host} refused its credential`,
    no_repository: `${host} has no such repository, or does not show it with this credential`,
    no_ref: `it has no branch, tag or commit "${ref}"`,
    redirected: `${host} answered with a redirect, which is not followed: an admin has to register where it leads`,
    unreachable: `${host} was not reached${broken === undefined ? '' : `: ${broken}`}`,
    damaged: 'what it sent is no valid repository',
    too_large: `it is larger than ${megabytes(limits.packBytes)}, or than ${megabytes(limits.treeBytes)} written out`,
    too_many_files: `it has more than ${limits.files} files and directories`,
    bad_files: 'it has files that are not allowed',
    broken_off: 'what it sent breaks off',
    no_tree: 'it could not be written out',
    out_of_memory: 'it needs more memory than it may have',
    killed: 'what fetches it was killed, as what needs more memory than it may have is',
    no_result: 'the sandbox that fetches it ended too early',
    git_failed: broken === undefined ? 'git could not fetch it' : `${host} was not reached: ${broken}`,
    too_late: `it was not there within ${limits.fetchMs / 1000} s`,
  };
  return `The repository "${name}" could not be fetched: ${reasons[why]}`;
}
