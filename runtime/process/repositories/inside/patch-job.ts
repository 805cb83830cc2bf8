/**
 * In a sandbox without a network and without a secret: makes the patch from the platform's own copy of the
 * base and the files that the agent handed over. The agent's `.git` is nowhere in it.
 */
import { createReadStream, lstatSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { readPieces, StreamEndedError } from '../../packages/piece-reader.ts';
import { diffCommand, diffVariables, git, gitPaths, gitVariables } from '../git.ts';
import { changeRecord, changesInside, type JobOrder, type JobResult } from '../job-stream.ts';
import { readRecord } from '../read-record.ts';
import { makeRepository } from './own-repository.ts';
import { isFull, JobError, mustRunGit } from './run-git.ts';

type PatchOrder = Extract<JobOrder, { type: 'patch' }>;

const patchFile = '/workspace/patch';

/** The result, and the file that follows it. Throws JobError. */
export async function makePatch({
  patchBytes,
  files,
}: PatchOrder): Promise<{ result: JobResult; files: string[] }> {
  const tree = gitPaths.tree;
  mkdirSync(tree);
  const commit = await makeRepository(gitPaths.directory);
  const inTree = (args: string[]) => git(args, { tree });
  const options = { env: gitVariables, cwd: tree };
  await mustRunGit(inTree(['read-tree', commit]), options);
  await mustRunGit(inTree(['checkout-index', '--all', '--force', '--quiet']), options);
  await applyChanges(files);
  await mustRunGit(inTree(['add', '--all', '--', '.']), options);
  const changed = String(await mustRunGit(inTree(['write-tree']), options)).trim();
  await mustRunGit(diffCommand(`${commit}^{tree}`, changed), {
    ...{ env: diffVariables, maxBytes: patchBytes, file: patchFile },
  });
  return { result: { type: 'patch', patchBytes: statSync(patchFile).size }, files: [patchFile] };
}

async function applyChanges(maxFiles: number): Promise<void> {
  const reader = readPieces(createReadStream(changesInside));
  for (let count = 0; ; count += 1) {
    const record = await readRecord(reader, changeRecord).catch((error: unknown) => {
      throw notAllowed(error);
    });
    if (record.type === 'end') {
      return;
    }
    if (record.type === 'too_large' || record.type === 'no_tree') {
      throw new JobError(record.type);
    }
    if (count >= maxFiles) {
      throw new JobError('too_many_files');
    }
    const place = placeOf(record.path);
    rmSync(place, { recursive: true, force: true });
    if (record.type === 'file') {
      await write(
        await open(place, 'wx', record.isExecutable ? 0o755 : 0o644),
        reader.pieces(record.sizeBytes),
      );
    } else if (record.type === 'link') {
      symlinkSync(Buffer.from(record.target, 'latin1'), place);
    }
  }
}

async function write(file: FileHandle, pieces: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece);
    }
  } catch (error) {
    throw isFull(error) ? error : notAllowed(error);
  } finally {
    await file.close();
  }
}

const notAllowed = (error: unknown) =>
  new JobError(error instanceof StreamEndedError ? 'broken_off' : 'bad_files');

/**
 * Below the tree, its directories made. Throws JobError for a path that leaves the tree, by its names or
 * through a link, or that is a repository's own.
 */
function placeOf(path: string): Buffer {
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || isGits(name))) {
    throw new JobError('bad_files');
  }
  let place = gitPaths.tree as string;
  for (const name of names.slice(0, -1)) {
    place = join(place, name);
    const found = lstatSync(Buffer.from(place, 'latin1'), { throwIfNoEntry: false });
    if (found === undefined) {
      mkdirSync(Buffer.from(place, 'latin1'));
    } else if (!found.isDirectory()) {
      throw new JobError('bad_files');
    }
  }
  return Buffer.from(`${gitPaths.tree}/${path}`, 'latin1');
}

/** As some file systems also write it. */
const isGits = (name: string) => /^(?:\.git|git~1)[ .]*$/i.test(name);
