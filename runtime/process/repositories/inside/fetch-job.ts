/** In a sandbox whose one way out leads to the repository's host: fetches one commit, and measures it. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openBridge } from '../../packages/inside/bridge.ts';
import { credentialVariables, fetchCommand, git, gitPaths, gitVariables } from '../git.ts';
import {
  commitId,
  egressPort,
  type JobFailure,
  type JobOrder,
  type JobResult,
  jobSockets,
} from '../job-stream.ts';
import { isKilled, JobError, mustRunGit, runGit } from './run-git.ts';

type FetchOrder = Extract<JobOrder, { type: 'fetch' }>;

/** The result, and the files that follow it. Throws JobError. */
export async function fetchCommit(
  { url, ref, caFile, packBytes, treeBytes, files }: FetchOrder,
  credential: string | null,
): Promise<{ result: JobResult; files: string[] }> {
  await openBridge(egressPort, join(jobSockets.directory, jobSockets.egress));
  mkdirSync(gitPaths.directory, { recursive: true });
  const env = gitVariables;
  await mustRunGit(git(['init', '--quiet', '--bare', '--template=']), { env });
  const proxy = `http://127.0.0.1:${egressPort}`;
  const fetched = await runGit(fetchCommand({ url, ref, proxy, caFile }), {
    env: { ...env, ...credentialVariables(credential) },
  });
  if (fetched.exitCode !== 0) {
    const isWhole = fetched.exitCode !== null && !isKilled(fetched.written);
    throw new JobError(isWhole ? failureOf(fetched.written) : 'killed');
  }
  const named = await mustRunGit(git(['rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}']), { env });
  const commit = commitId.parse(String(named).trim());
  await measure(commit, { treeBytes, files });
  const packs = join(gitPaths.directory, 'objects/pack');
  const [pack, ...others] = readdirSync(packs).filter((name) => name.endsWith('.pack'));
  if (pack === undefined || others.length > 0) {
    throw new JobError('damaged');
  }
  const both = [join(packs, pack), join(packs, pack.replace(/pack$/, 'idx'))];
  const [sizeOfPack = 0, sizeOfIndex = 0] = both.map((file) => statSync(file).size);
  if (sizeOfPack + sizeOfIndex > packBytes) {
    throw new JobError('too_large');
  }
  return { result: { type: 'fetched', commit, packBytes: sizeOfPack, indexBytes: sizeOfIndex }, files: both };
}

/** Of one line: its mode, type, object, size and path. */
const longestLine = 4200;

/** Before anything is written out: a small pack may hold what is very large. */
async function measure(commit: string, limits: Pick<FetchOrder, 'treeBytes' | 'files'>): Promise<void> {
  const listed = await runGit(git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit]), {
    env: gitVariables,
    maxBytes: Math.min(limits.files * longestLine, 256 * 1024 * 1024),
  });
  if (listed.exitCode !== 0) {
    throw new JobError(listed.exitCode === null ? 'killed' : 'damaged');
  }
  const problem = problemOfTree(listed.output.toString('latin1'), limits);
  if (problem !== null) {
    throw new JobError(problem);
  }
}

/** A file, and a directory, take whole ones of these. */
const blockBytes = 4096;
const longestPath = 2000;
const longestName = 255;

/** Why files, listed with their sizes, are not to be written out; null: they may be. */
export function problemOfTree(
  listed: string,
  { treeBytes, files }: Pick<FetchOrder, 'treeBytes' | 'files'>,
): JobFailure | null {
  const directories = new Set<string>();
  let count = 0;
  let bytes = 0;
  for (const line of listed.split('\0').filter((each) => each !== '')) {
    const path = line.slice(line.indexOf('\t') + 1);
    if (path.length > longestPath || path.split('/').some((name) => name.length > longestName)) {
      return 'bad_files';
    }
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end);
      if (directories.has(directory)) {
        break;
      }
      directories.add(directory);
    }
    count += 1;
    if (count + directories.size > files) {
      return 'too_many_files';
    }
    bytes += Number(/^\S+ \S+ \S+ +(\d+)\t/.exec(line)?.[1] ?? 0);
  }
  return bytes + (count + directories.size) * blockBytes > treeBytes ? 'too_large' : null;
}

/**
 * What git wrote decides which sentence of the platform is shown, and is shown to nobody. A status comes
 * first: the rest holds names that others chose.
 */
const causes: readonly [RegExp, JobFailure][] = [
  [/returned error: 30\d/, 'redirected'],
  [/returned error: 40[13]/, 'refused'],
  [/returned error: 404/, 'no_repository'],
  [/returned error: \d/, 'unreachable'],
  [/couldn't find remote ref|not our ref|unadvertised object/, 'no_ref'],
  [/Authentication failed|could not read Username/i, 'refused'],
  [/repository '.*' not found/i, 'no_repository'],
  [/fsck error|bad object|index-pack failed|unpack-objects failed|fatal: pack |early EOF/i, 'damaged'],
  [/No space left|out of memory/i, 'too_large'],
  [/unable to access|Failed to connect|Could not resolve|timed out|CONNECT/i, 'unreachable'],
];

export const failureOf = (written: string): JobFailure =>
  causes.find(([pattern]) => pattern.test(written))?.[1] ?? 'git_failed';
