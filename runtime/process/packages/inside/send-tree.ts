/** Sends the loaded packages. The platform validates all of it. */
import { once } from 'node:events';
import {
  closeSync,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { encodeRecord, packagesInside } from '../tree-stream.ts';

/** Thousands of small files go in few writes: on a busy machine each one more waits for both processes. */
const batchBytes = 1024 * 1024;

/** Resolves when everything was received: the other side ends the connection. */
export async function sendTree(socketPath: string, program: string): Promise<void> {
  const socket = connect(socketPath);
  const taken = once(socket, 'close');
  await once(socket, 'connect');
  socket.resume();
  let batch: Buffer[] = [];
  let batchedBytes = 0;
  for (const piece of piecesOf(packagesInside)) {
    batch.push(piece);
    batchedBytes += piece.length;
    if (batchedBytes >= batchBytes) {
      await write(socket, Buffer.concat(batch));
      batch = [];
      batchedBytes = 0;
    }
  }
  await write(socket, Buffer.concat([...batch, encodeRecord({ type: 'program', path: program })]));
  await taken;
}

function* piecesOf(directory: string): Generator<Buffer> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      yield* piecesOf(path);
    } else {
      yield* piecesOfOne(path, entry);
    }
  }
}

function* piecesOfOne(path: string, entry: Dirent): Generator<Buffer> {
  const name = relative(packagesInside, path);
  if (entry.isSymbolicLink()) {
    yield encodeRecord({ type: 'link', path: name, target: readlinkSync(path) });
  } else if (entry.isFile()) {
    const { size, mode } = lstatSync(path);
    const isExecutable = (mode & 0o111) !== 0;
    yield encodeRecord({ type: 'file', path: name, sizeBytes: size, isExecutable });
    yield* contentOf(path, size);
  }
}

function* contentOf(path: string, sizeBytes: number): Generator<Buffer> {
  if (sizeBytes <= batchBytes) {
    yield readFileSync(path);
    return;
  }
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < sizeBytes; at += batchBytes) {
      const piece = Buffer.allocUnsafe(Math.min(batchBytes, sizeBytes - at));
      readSync(file, piece, 0, piece.length, at);
      yield piece;
    }
  } finally {
    closeSync(file);
  }
}

async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (!socket.write(bytes)) {
    await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  if (socket.destroyed) {
    throw new Error('the platform takes no more');
  }
}
