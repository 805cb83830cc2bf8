/**
 * Keeps the cache of one workspace within its size: evicts the least recently used first, and nothing
 * that a session runs from.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Next to a tree: one empty file for each session that runs from it. */
export const usersDirectory = 'users';

interface Tree {
  /** Of the request. */
  key: string;
  digest: string;
  sizeBytes: number;
  usedAtMs: number;
  isUsed: boolean;
}

const sized = z.object({ sizeBytes: z.int().min(0) });

/** Evicts until `neededBytes` more fit. False when what is in use leaves too little room. */
export function makeRoom(
  workspace: string,
  {
    neededBytes,
    maxBytes,
    sessionsDirectory,
  }: { neededBytes: number; maxBytes: number; sessionsDirectory: string },
): boolean {
  const trees = treesOf(workspace, sessionsDirectory).sort((a, b) => a.usedAtMs - b.usedAtMs);
  let total = neededBytes + trees.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const { key, digest, sizeBytes, isUsed } of trees) {
    if (total > maxBytes && !isUsed) {
      rmSync(join(workspace, key, digest), { recursive: true, force: true });
      total -= sizeBytes;
    }
  }
  return total <= maxBytes;
}

function treesOf(workspace: string, sessionsDirectory: string): Tree[] {
  return directoriesIn(workspace).flatMap((key) =>
    directoriesIn(join(workspace, key)).map((digest) => {
      const directory = join(workspace, key, digest);
      return {
        key,
        digest,
        sizeBytes: sizeOf(directory),
        usedAtMs: statSync(directory).mtimeMs,
        isUsed: isUsed(directory, sessionsDirectory),
      };
    }),
  );
}

const directoriesIn = (directory: string) =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{64}$/.test(entry.name))
    .map(({ name }) => name);

/** One that cannot be read counts as empty: it is not verified either, and loaded again. */
function sizeOf(directory: string): number {
  try {
    return sized.parse(JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))).sizeBytes;
  } catch {
    return 0;
  }
}

/** Also drops sessions whose directory is deleted, regardless of how they ended. */
export function isUsed(directory: string, sessionsDirectory: string): boolean {
  const users = join(directory, usersDirectory);
  const all = existsSync(users) ? readdirSync(users) : [];
  for (const sessionId of all.filter((each) => !existsSync(join(sessionsDirectory, each)))) {
    rmSync(join(users, sessionId), { force: true });
  }
  return all.some((each) => existsSync(join(sessionsDirectory, each)));
}
