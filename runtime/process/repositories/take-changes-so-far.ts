/**
 * Asks for what an agent has changed so far: a socket that the program beside the agent finds, and hands its
 * files over at. They are bytes, which are kept up to a limit and not looked into.
 */
import { once } from 'node:events';
import { closeSync, createWriteStream, openSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { withinLimit } from '../../../lib/timing/time-limit.ts';
import { bounded } from '../host/take-changes.ts';
import { soFarSocket } from './job-stream.ts';
import { repositoryFiles } from './repository-files.ts';

interface TakeOptions {
  maxBytes: number;
  limitMs: number;
  signal: AbortSignal;
}

/** Throws a TimeoutError after the limit, or the reason of `signal`. */
export async function takeChangesSoFar(
  directory: string,
  { maxBytes, limitMs, signal }: TakeOptions,
): Promise<void> {
  const files = repositoryFiles(directory);
  const taker = join(directory, files.taker);
  // Of a worker that was killed: nothing else can listen there.
  rmSync(join(taker, soFarSocket), { force: true });
  const place = openSync(taker, 'r');
  const server = createServer({ allowHalfOpen: true });
  try {
    // A socket's path has 107 bytes at most.
    server.listen(`/proc/self/fd/${place}/${soFarSocket}`);
    await once(server, 'listening');
    await withinLimit(limitMs, signal, async (limited) => {
      limited.throwIfAborted();
      const [client]: Socket[] = await once(server, 'connection', { signal: limited }).catch(() => {
        throw limited.reason;
      });
      if (client === undefined) {
        throw new Error('there is no connection');
      }
      try {
        const file = createWriteStream(files.changesSoFar, { mode: 0o600 });
        await pipeline(client, bounded(maxBytes), file, { signal: limited });
      } catch (error) {
        throw limited.aborted ? limited.reason : error;
      } finally {
        client.destroy();
      }
    });
  } finally {
    server.close();
    closeSync(place);
  }
}
