/** Sends the loaded packages. The platform validates all of it. */
import { once } from 'node:events';
import { createReadStream, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { encodeRecord, packagesInside, type TreeRecord } from '../tree-stream.ts';

/** Resolves when everything was received: the other side ends the connection. */
export async function sendTree(socketPath: string, program: string): Promise<void> {
  const socket = connect(socketPath);
  const taken = once(socket, 'close');
  await once(socket, 'connect');
  socket.resume();
  for (const path of filesBelow(packagesInside)) {
    await sendOne(socket, path);
  }
  await write(socket, encodeRecord({ type: 'program', path: program }));
  await taken;
}

async function sendOne(socket: Socket, path: string): Promise<void> {
  const status = lstatSync(path);
  const name = relative(packagesInside, path);
  if (status.isSymbolicLink()) {
    await write(socket, encodeRecord({ type: 'link', path: name, target: readlinkSync(path) }));
  } else if (status.isFile()) {
    const isExecutable = (status.mode & 0o111) !== 0;
    const record: TreeRecord = { type: 'file', path: name, sizeBytes: status.size, isExecutable };
    await write(socket, encodeRecord(record));
    for await (const piece of createReadStream(path, { end: Math.max(status.size - 1, 0) })) {
      await write(socket, piece);
    }
  }
}

function* filesBelow(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      yield* filesBelow(path);
    } else {
      yield path;
    }
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
