/**
 * Where the parent of a process reports on it. A server or an agent may write there too: everything is
 * bounded and an untrusted claim.
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonOrNull } from '../../contract/json-or-null.ts';
import { maxClaimBytes } from '../../contract/process-reports.ts';
import { reportSocket } from '../../contract/session-paths.ts';
import { processClaim } from '../../contract/session-process.ts';
import { type Line, splitLines } from '../json-rpc/lines.ts';
import { closeServer, listenOnSocket, oneChunk } from '../server-link/listen.ts';
import type { TrackedProcess } from './tracked-process.ts';

const mostConnections = 4;
/** Cost of each line and each connection in addition to its bytes, so that short ones are bounded as well. */
const bytesPerLine = 1024;
const bytesPerConnection = 1024;
/** An invalid claim ends its connection; nothing of the next one is read until this cost is paid. */
const bytesPerBadLine = 64 * 1024;

export interface ReportSocket {
  close(): Promise<void>;
}

/** Throws when the socket cannot be created. */
export async function openReportSocket(process: TrackedProcess): Promise<ReportSocket> {
  const sockets = new Set<Socket>();
  const budget = createReadBudget();
  const onConnection = (socket: Socket) => {
    if (sockets.size >= mostConnections) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    // A connection closed by its sender keeps its place until what was read of it is paid.
    void takeClaims(socket, process, budget).finally(() => {
      socket.destroy();
      sockets.delete(socket);
    });
  };
  const server = await listenOnSocket(reportSocket(process.kind, process.name), onConnection, oneChunk);
  return {
    close() {
      budget.close();
      for (const socket of sockets) {
        socket.destroy();
      }
      return closeServer(server);
    },
  };
}

/** Until the connection ends, or sends an invalid claim. */
async function takeClaims(socket: Socket, process: TrackedProcess, budget: ReadBudget): Promise<void> {
  try {
    await budget.spend(bytesPerConnection);
    for await (const lines of splitLines(chunksOf(socket, budget), maxClaimBytes)) {
      await budget.spend(lines.length * bytesPerLine);
      if (!lines.every((line) => isTaken(line, process))) {
        budget.charge(bytesPerBadLine);
        return;
      }
    }
  } catch {
    // An error counts as its end.
  }
}

const lineFeed = 0x0a;

/** Yields chunks once paid for. Ends at a line that is too large, even if unfinished. */
async function* chunksOf(socket: Socket, budget: ReadBudget): AsyncGenerator<Buffer> {
  let unendedBytes = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(lineFeed);
    unendedBytes = chunk.length - end - 1 + (end === -1 ? unendedBytes : 0);
    await budget.spend(chunk.length);
    yield chunk;
    if (unendedBytes > maxClaimBytes) {
      budget.charge(bytesPerBadLine);
      return;
    }
  }
}

function isTaken(line: Line, process: TrackedProcess): boolean {
  if (line.loss !== null) {
    return false;
  }
  const parsed = processClaim.safeParse(jsonOrNull(line.bytes.toString('utf8')));
  if (parsed.success) {
    process.take(parsed.data);
  }
  return parsed.success;
}

const bytesPerSecond = 256 * 1024;

/** One for all connections of a socket, so that whoever reconnects gains nothing by it. */
interface ReadBudget {
  /**
   * Resolves once this much may be read, after all earlier spending and charges. Throws
   * once the budget is closed.
   */
  spend(bytes: number): Promise<void>;
  /** Delays the next `spend` by this much as well. */
  charge(bytes: number): void;
  /** Releases all waiters. */
  close(): void;
}

function createReadBudget(): ReadBudget {
  const closing = new AbortController();
  /** When all spending so far is paid off. */
  let paidAtMs = 0;
  const charge = (bytes: number) => {
    paidAtMs = Math.max(paidAtMs, performance.now()) + (bytes / bytesPerSecond) * 1000;
  };
  return {
    charge,
    async spend(bytes) {
      charge(bytes);
      await sleep(Math.max(0, paidAtMs - performance.now()), undefined, { signal: closing.signal });
    },
    close: () => closing.abort(),
  };
}
