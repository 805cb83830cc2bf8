/** The contents of a package tree, and their verification byte by byte. */
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, readlink, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as z from 'zod';

const path = z.string();
const treeEntry = z.union([
  z.strictObject({
    path,
    sizeBytes: z.int().min(0),
    sha256: z.string(),
    isExecutable: z.boolean(),
  }),
  z.strictObject({ path, target: z.string() }),
]);
export type TreeEntry = z.infer<typeof treeEntry>;

const treeManifest = z.strictObject({
  /** The program to run, below the tree. */
  program: path,
  sizeBytes: z.int().min(0),
  /** Files and links, sorted by path. */
  entries: z.array(treeEntry),
});
export type TreeManifest = z.infer<typeof treeManifest>;

/** Stored next to the tree. */
const manifestFile = 'manifest.json';

/** Writes the manifest into `directory`. Returns its SHA-256, which vouches for the whole tree. */
export async function writeManifest(directory: string, manifest: TreeManifest): Promise<string> {
  const text = JSON.stringify(manifest);
  const unfinished = join(directory, `${manifestFile}.${randomUUID()}`);
  await writeFile(unfinished, text, { mode: 0o400 });
  await rename(unfinished, join(directory, manifestFile));
  return sha256(text);
}

/**
 * The manifest, when it has this digest and the tree next to it, `<directory>/tree`, matches exactly: no file
 * changed, added, or missing. Null otherwise.
 */
export async function verifyTree(directory: string, digest: string): Promise<TreeManifest | null> {
  try {
    const text = await readFile(join(directory, manifestFile));
    if (sha256(text) !== digest) {
      return null;
    }
    const manifest = treeManifest.parse(JSON.parse(String(text)));
    const expected = new Map(manifest.entries.map((entry) => [entry.path, entry]));
    const tree = join(directory, 'tree');
    const found = await filesBelow(tree);
    return found.length === expected.size && (await areEntries(tree, found, expected)) ? manifest : null;
  } catch {
    return null;
  }
}

interface FoundFile {
  place: string;
  isLink: boolean;
}

async function filesBelow(directory: string): Promise<FoundFile[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ place: join(entry.parentPath, entry.name), isLink: entry.isSymbolicLink() }));
}

const readersAtOnce = 16;

/** Stops at the first mismatch. */
async function areEntries(
  tree: string,
  found: FoundFile[],
  expected: ReadonlyMap<string, TreeEntry>,
): Promise<boolean> {
  const left = found.values();
  let isDifferent = false;
  const reader = async () => {
    for (const { place, isLink } of left) {
      const entry = expected.get(relative(tree, place));
      if (isDifferent || entry === undefined || !(await isEntry(place, entry, isLink))) {
        isDifferent = true;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: readersAtOnce }, reader));
  return !isDifferent;
}

async function isEntry(place: string, entry: TreeEntry, isLink: boolean): Promise<boolean> {
  if ('target' in entry) {
    return isLink && (await readlink(place)) === entry.target;
  }
  // Never follows a link, and never blocks on a pipe.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    const isExecutable = (status.mode & 0o111) !== 0;
    const isSame = status.isFile() && status.size === entry.sizeBytes && isExecutable === entry.isExecutable;
    return isSame && (await digestOf(file, entry.sizeBytes)) === entry.sha256;
  } finally {
    await file.close();
  }
}

const pieceBytes = 256 * 1024;

/** Digest of the first `sizeBytes` bytes. Throws when there are fewer. */
async function digestOf(file: FileHandle, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(Math.min(sizeBytes, pieceBytes));
  for (let left = sizeBytes; left > 0; ) {
    const { bytesRead } = await file.read(piece, 0, Math.min(left, piece.length));
    if (bytesRead === 0) {
      throw new Error('the file became shorter');
    }
    hash.update(piece.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return hash.digest('hex');
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
