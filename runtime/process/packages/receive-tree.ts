/** Stores the packages that a sandbox sends. All of it is untrusted: paths, sizes, number, length. */
import { createHash } from 'node:crypto';
import { chmod, type FileHandle, mkdir, open as openFile, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Readable } from 'node:stream';
import { PackagesError } from './errors.ts';
import type { TreeEntry, TreeManifest } from './manifest.ts';
import { type PieceReader, readPieces } from './piece-reader.ts';
import { maxRecordBytes, packagesInside, type TreeRecord, treeRecord } from './tree-stream.ts';

export interface TreeLimits {
  sizeBytes: number;
  files: number;
}

type FileRecord = Extract<TreeRecord, { type: 'file' }>;

/**
 * Fills `directory`, which exists and is empty. Links are created last, so that no file's path leads through
 * one. Throws PackagesError for what is not allowed or too much.
 */
export async function receiveTree(
  stream: Readable,
  directory: string,
  limits: TreeLimits,
): Promise<TreeManifest> {
  const writer = createWriter(directory);
  try {
    const manifest = await takeTree(readPieces(stream), writer, limits);
    await writer.end();
    await makeLinks(directory, manifest.entries);
    return manifest;
  } finally {
    // The caller removes what is there after a fault, and nothing may be added to it then.
    await writer.settled();
  }
}

async function takeTree(reader: PieceReader, writer: Writer, limits: TreeLimits): Promise<TreeManifest> {
  const entries: TreeEntry[] = [];
  let sizeBytes = 0;
  for (;;) {
    const record = await readRecord(reader);
    checkPath(record.path);
    if (record.type === 'program') {
      return manifestOf(entries, record.path, sizeBytes);
    }
    sizeBytes += record.type === 'file' ? record.sizeBytes : 0;
    if (sizeBytes > limits.sizeBytes || entries.length >= limits.files) {
      throw new PackagesError(
        `the packages have more than ${limits.sizeBytes} bytes (PACKAGE_MAX_BYTES) or ${limits.files} files`,
      );
    }
    if (record.type === 'file') {
      entries.push(await takeFile(reader, writer, record));
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
  refuseBelowLinks(sorted);
  return { program, sizeBytes, entries: sorted };
}

/** Whatever is made below a link would be made where that leads. */
function refuseBelowLinks(entries: readonly TreeEntry[]): void {
  const links = new Set(entries.flatMap((entry) => ('target' in entry ? [entry.path] : [])));
  for (const { path } of entries) {
    for (let above = dirname(path); above !== '.'; above = dirname(above)) {
      if (links.has(above)) {
        throw new PackagesError('the packages hold a file below a link');
      }
    }
  }
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

/** Larger ones are written as they arrive. */
const smallBytes = 1024 * 1024;
/**
 * Thousands of small files, written one after the other, take longer on a busy machine
 * than all else of a load.
 */
const writesAtOnce = 16;

interface Writer {
  /** Returns before it is written. Throws what went wrong with an earlier one. */
  write(record: FileRecord, content: Buffer): Promise<void>;
  open(record: FileRecord): Promise<FileHandle>;
  /** When all are written. Throws what went wrong with any. */
  end(): Promise<void>;
  settled(): Promise<void>;
}

function createWriter(directory: string): Writer {
  const made = new Map<string, Promise<unknown>>();
  const running = new Set<Promise<void>>();
  const faults: unknown[] = [];
  const open = async ({ path, isExecutable }: FileRecord) => {
    const target = join(directory, path);
    const parent = dirname(target);
    const making = made.get(parent) ?? mkdir(parent, { recursive: true, mode: 0o700 });
    made.set(parent, making);
    await making;
    const file = await openFile(target, 'wx', 0o600);
    await file.chmod(isExecutable ? 0o555 : 0o444);
    return file;
  };
  const writeOne = async (record: FileRecord, content: Buffer) => {
    const file = await open(record);
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
  };
  const throwFault = () => {
    if (faults.length > 0) {
      throw faults[0];
    }
  };
  return {
    open,
    async write(record, content) {
      throwFault();
      const writing: Promise<void> = writeOne(record, content)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => running.delete(writing));
      running.add(writing);
      if (running.size >= writesAtOnce) {
        await Promise.race(running);
      }
    },
    async end() {
      await Promise.all(running);
      throwFault();
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

async function takeFile(reader: PieceReader, writer: Writer, record: FileRecord): Promise<TreeEntry> {
  const { path, sizeBytes, isExecutable } = record;
  const hash = createHash('sha256');
  if (sizeBytes <= smallBytes) {
    const content = sizeBytes === 0 ? Buffer.alloc(0) : await reader.exactly(sizeBytes);
    if (content === null) {
      throw new PackagesError('the packages were not handed over');
    }
    hash.update(content);
    await writer.write(record, content);
  } else {
    const file = await writer.open(record);
    try {
      for await (const piece of reader.pieces(sizeBytes)) {
        hash.update(piece);
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
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

const maxPathBytes = 1024;
const maxNameBytes = 255;

/** Throws PackagesError for a path that leads out of its tree, or that no file system accepts. */
function checkPath(path: string): void {
  const parts = path.split('/');
  const isFine = parts.every(
    (part) =>
      part !== '' &&
      part !== '.' &&
      part !== '..' &&
      !part.includes('\0') &&
      Buffer.byteLength(part) <= maxNameBytes,
  );
  if (!isFine || Buffer.byteLength(path) > maxPathBytes) {
    throw new PackagesError('the packages hold a file whose path is not allowed');
  }
}

/**
 * Links stay among the packages, or lead to programs of the system, which every sandbox
 * has. Throws PackagesError.
 */
function checkLink(path: string, target: string): void {
  const resolved = posix.resolve(packagesInside, posix.dirname(path), target);
  const isInside = resolved.startsWith(`${packagesInside}/`);
  const isSystem = target.startsWith('/') && resolved.startsWith('/usr/');
  if (!(isInside || isSystem) || target === '' || target.includes('\0')) {
    throw new PackagesError('the packages hold a link that leads elsewhere');
  }
}
