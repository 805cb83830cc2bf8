/** Stores the packages that a sandbox sends. All of it is untrusted: paths, sizes, number, length. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { PackagesError } from './errors.ts';
import type { TreeEntry, TreeManifest } from './manifest.ts';
import { type PieceReader, readPieces } from './piece-reader.ts';
import { checkLink, checkPath } from './tree-paths.ts';
import { maxRecordBytes, type TreeRecord, treeRecord } from './tree-stream.ts';

export interface TreeLimits {
  sizeBytes: number;
  files: number;
}

type FileRecord = Extract<TreeRecord, { type: 'file' }>;

/**
 * Fills `directory`, which exists and is empty. Links are created last, so that no file's path leads through one.
 * Throws PackagesError for what is not allowed or too much.
 */
export async function receiveTree(
  stream: Readable,
  directory: string,
  limits: TreeLimits,
): Promise<TreeManifest> {
  const reader = readPieces(stream);
  const entries: TreeEntry[] = [];
  let sizeBytes = 0;
  for (;;) {
    const record = await readRecord(reader);
    checkPath(record.path);
    if (record.type === 'program') {
      await makeLinks(directory, entries);
      return manifestOf(entries, record.path, sizeBytes);
    }
    sizeBytes += record.type === 'file' ? record.sizeBytes : 0;
    if (sizeBytes > limits.sizeBytes || entries.length >= limits.files) {
      throw new PackagesError(
        `the packages have more than ${limits.sizeBytes} bytes or ${limits.files} files (PACKAGE_MAX_BYTES, PACKAGE_MAX_FILES)`,
      );
    }
    if (record.type === 'file') {
      entries.push(await writeFileOf(reader, directory, record));
    } else {
      checkLink(record.path, record.target);
      entries.push({ path: record.path, target: record.target });
    }
  }
}

function manifestOf(entries: TreeEntry[], program: string, sizeBytes: number): TreeManifest {
  const sorted = entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (!sorted.some(({ path }) => path === program)) {
    throw new PackagesError('the packages have no such program');
  }
  return { program, sizeBytes, entries: sorted };
}

async function readRecord(reader: PieceReader): Promise<TreeRecord> {
  const length = (await reader.exactly(4))?.readUInt32BE() ?? null;
  if (length === null || length > maxRecordBytes) {
    throw new PackagesError('the packages were not handed over');
  }
  try {
    return treeRecord.parse(JSON.parse(String(await reader.exactly(length))));
  } catch {
    throw new PackagesError('the packages were not handed over in the form that was asked for');
  }
}

async function writeFileOf(
  reader: PieceReader,
  directory: string,
  { path, sizeBytes, isExecutable }: FileRecord,
): Promise<TreeEntry> {
  const target = join(directory, path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const file = await open(target, 'wx', 0o600);
  try {
    for await (const piece of reader.pieces(sizeBytes)) {
      hash.update(piece);
      await file.writeFile(piece);
    }
    await file.chmod(isExecutable ? 0o555 : 0o444);
  } finally {
    await file.close();
  }
  return { path, sizeBytes, sha256: hash.digest('hex'), isExecutable };
}

async function makeLinks(directory: string, entries: readonly TreeEntry[]): Promise<void> {
  for (const entry of entries) {
    if ('target' in entry) {
      const path = join(directory, entry.path);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await symlink(entry.target, path);
    }
  }
  await chmod(directory, 0o700);
}
