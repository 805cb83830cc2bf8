/** Where whatever started a process tells of it. A server or an agent may speak there too: everything is bounded and a claim. */
import type { Server, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { maxClaimBytes, processClaim } from '../../contract/session-process.ts';
import { type Line, readLines } from '../json-rpc/read-lines.ts';
import { closeServer, listenOnSocket } from '../server-link/listen.ts';
import { reportSocket } from '../session-paths.ts';
import type { TrackedProcess } from './tracked-process.ts';

const mostConnections = 4;
/** What is read on one connection, at most: the rest waits at its sender. */
const bytesPerSecond = 256 * 1024;
/** Each line costs so much beside its bytes, so that short ones are bounded as well. */
const bytesPerLine = 1024;

export interface ReportSocket {
  close(): Promise<void>;
}

/** Throws when the socket cannot be made. */
export async function openReportSocket(process: TrackedProcess): Promise<ReportSocket> {
  const sockets = new Set<Socket>();
  const server: Server = await listenOnSocket(reportSocket(process.kind, process.name), (socket) => {
    if (sockets.size >= mostConnections) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void takeClaims(socket, process).finally(() => socket.destroy());
  });
  return {
    close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      return closeServer(server);
    },
  };
}

/** Until the connection ends, or says something that is no claim. */
async function takeClaims(socket: Socket, process: TrackedProcess): Promise<void> {
  try {
    const bytes = Readable.from(bytesInTime(socket), { objectMode: false });
    for await (const lines of readLines(bytes, maxClaimBytes)) {
      if (!lines.every((line) => isTaken(line, process))) {
        return;
      }
      await sleep(timeOf(lines.length * bytesPerLine));
    }
  } catch {
    // It broke: the same as its end.
  }
}

const timeOf = (bytes: number) => (bytes / bytesPerSecond) * 1000;
const lineFeed = 0x0a;

/** Also of a line that has no end: what is read of that costs as much, and ends the connection once it is too large. */
async function* bytesInTime(socket: Socket): AsyncGenerator<Buffer> {
  let unendedBytes = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(lineFeed);
    unendedBytes = chunk.length - end - 1 + (end === -1 ? unendedBytes : 0);
    yield chunk;
    if (unendedBytes > maxClaimBytes) {
      return;
    }
    await sleep(timeOf(chunk.length));
  }
}

function isTaken(line: Line, process: TrackedProcess): boolean {
  if (line.tooLarge) {
    return false;
  }
  const parsed = processClaim.safeParse(jsonOf(line.bytes));
  if (parsed.success) {
    process.take(parsed.data);
  }
  return parsed.success;
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
