/**
 * Takes what an agent changed in its repository, from the agent's sandbox: bytes, which are kept up to a
 * limit and not looked into.
 */
import { createWriteStream, renameSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ChangesLaunch } from '../render-launch.ts';

/** What comes last stays. Paths are relative to the session's directory: a socket's has 107 bytes at most. */
export function takeChanges({ socket, file, maxBytes }: ChangesLaunch): { close(): void } {
  let isBusy = false;
  // Its end is answered once everything is kept: the sandbox ends with it.
  const server = createServer({ allowHalfOpen: true }, (client: Socket) => {
    if (isBusy) {
      client.destroy();
      return;
    }
    isBusy = true;
    void take(client, { file, maxBytes }).finally(() => {
      isBusy = false;
      client.destroy();
    });
  });
  server.on('error', () => undefined);
  server.listen(socket);
  return { close: () => server.close() };
}

/** Passes bytes on; fails at more than so many. */
export function bounded(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      done(bytes > maxBytes ? new TooManyBytesError('too many bytes') : null, piece);
    },
  });
}

export class TooManyBytesError extends Error {}

/** One that breaks off leaves what was there before. */
async function take(
  client: Socket,
  { file, maxBytes }: Pick<ChangesLaunch, 'file' | 'maxBytes'>,
): Promise<void> {
  try {
    await pipeline(client, bounded(maxBytes), createWriteStream(`${file}.unfinished`, { mode: 0o600 }));
    renameSync(`${file}.unfinished`, file);
  } catch {
    // The patch then says that there is nothing.
  }
}
