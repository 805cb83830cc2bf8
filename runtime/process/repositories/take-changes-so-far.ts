/**
 * Asks for what an agent has changed so far: a socket that the program beside the agent finds, and hands its
 * files over at. They are bytes, which are kept up to a limit and not looked into.
 */
import { once } from 'node:events';
import { closeSync, createWriteStream, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { withinLimit } from '../../../lib/timing/time-limit.ts';
import { onlyConnection } from '../handed-over.ts';
import { bounded } from '../host/take-changes.ts';
import { soFarSocket } from './job-stream.ts';
import { repositoryFiles } from './repository-files.ts';

interface TakeOptions {
  /** Where the bytes are kept. */
  file: string;
  /** Of this attempt alone. */
  attempt: string;
  maxBytes: number;
  limitMs: number;
  signal: AbortSignal;
}

/** Throws a TimeoutError after the limit, or the reason of `signal`. */
export async function takeChangesSoFar(
  directory: string,
  { file, attempt, maxBytes, limitMs, signal }: TakeOptions,
): Promise<void> {
  const taker = join(directory, repositoryFiles(directory).taker);
  const shown = join(taker, soFarSocket);
  const own = `${soFarSocket}.${attempt}`;
  const place = openSync(taker, 'r');
  const server = createServer({ allowHalfOpen: true });
  let inode: number | null = null;
  try {
    // A socket's path has 107 bytes at most.
    server.listen(`/proc/self/fd/${place}/${own}`);
    await once(server, 'listening');
    inode = statSync(join(taker, own)).ino;
    // In place of what another worker left there, or waits at: the later one is answered.
    renameSync(join(taker, own), shown);
    await withinLimit(limitMs, signal, async (limited) => {
      const client = await onlyConnection(server, limited);
      try {
        await pipeline(client, bounded(maxBytes), createWriteStream(file, { mode: 0o600 }), {
          signal: limited,
        });
      } catch (error) {
        throw limited.aborted ? limited.reason : error;
      } finally {
        client.destroy();
      }
    });
  } finally {
    server.close();
    closeSync(place);
    if (inode !== null && statSync(shown, { throwIfNoEntry: false })?.ino === inode) {
      rmSync(shown, { force: true });
    }
  }
}
