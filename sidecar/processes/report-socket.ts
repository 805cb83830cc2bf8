/** Where whatever started a process tells of it. A server or an agent may speak there too: everything is bounded and a claim. */
import type { Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { maxClaimBytes, processClaim } from '../../contract/session-process.ts';
import { type Line, readLines } from '../json-rpc/read-lines.ts';
import { closeServer, listenOnSocket } from '../server-link/listen.ts';
import { reportSocket } from '../session-paths.ts';
import type { TrackedProcess } from './tracked-process.ts';

const mostConnections = 4;
/** What is read on one connection, at most: the rest waits at its sender. */
const bytesPerSecond = 256 * 1024;
/** Each line costs as much as this many bytes, so that short ones are bounded as well. */
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
    for await (const lines of readLines(socket, maxClaimBytes)) {
      if (!lines.every((line) => isTaken(line, process))) {
        return;
      }
      const cost = lines.reduce(
        (sum, line) => sum + bytesPerLine + (line.tooLarge ? 0 : line.bytes.length),
        0,
      );
      await sleep((cost / bytesPerSecond) * 1000);
    }
  } catch {
    // It broke: the same as its end.
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
