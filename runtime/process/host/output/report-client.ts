/**
 * Reports on one process to the sidecar, over its report socket. What cannot be sent at once is
 * queued; overflow is dropped.
 */
import { createConnection, type Socket } from 'node:net';
import { maxOutputBytes } from '../../../../contract/process-reports.ts';
import type { ProcessClaim } from '../../../../contract/session-process.ts';
import { retry } from '../../../../lib/timing/retry.ts';
import { abandonAfter } from '../../../../lib/timing/time-limit.ts';

export interface ReportClient {
  /** Bytes that the process wrote, redacted. The queue keeps the last 64 KiB. */
  output(bytes: Buffer): void;
  /** Sent after the output so far. */
  claim(claim: Exclude<ProcessClaim, { type: 'output' }>): void;
  /** Resolves when everything was sent, or after `limitMs`; afterwards nothing is sent. */
  close(limitMs: number): Promise<void>;
}

const retryMs = 500;
const pieceBytes = 16 * 1024;

/**
 * `path`: relative to the working directory, since the absolute path may be too long
 * for a socket. Never throws.
 */
export function createReportClient(path: string): ReportClient {
  let waiting = Buffer.alloc(0);
  let skippedBytes = 0;
  let claims: string[] = [];
  let socket: Socket | null = null;
  let isWritable = false;
  const closing = new AbortController();
  let whenEmpty = () => {};

  const nextLine = (): string | null => {
    if (waiting.length === 0) {
      return claims.shift() ?? null;
    }
    const piece = waiting.subarray(0, pieceBytes);
    waiting = waiting.subarray(piece.length);
    const line = { type: 'output', base64: piece.toString('base64'), skipped_bytes: skippedBytes };
    skippedBytes = 0;
    return JSON.stringify(line);
  };
  const send = () => {
    for (let line = isWritable ? nextLine() : null; line !== null; line = isWritable ? nextLine() : null) {
      isWritable = socket?.write(`${line}\n`) ?? false;
    }
    if (isWritable) {
      whenEmpty();
    }
  };
  const connectUntilLost = () =>
    new Promise<never>((_resolve, reject) => {
      socket = createConnection({ path });
      socket.unref();
      socket.on('error', () => undefined);
      for (const event of ['connect', 'drain'] as const) {
        socket.on(event, () => {
          isWritable = true;
          send();
        });
      }
      socket.once('close', () => {
        socket = null;
        isWritable = false;
        reject(new Error('the connection was lost'));
      });
    });
  // Fails when it is closed.
  void retry(connectUntilLost, { firstDelayMs: retryMs, signal: closing.signal, ref: false }).catch(
    () => undefined,
  );
  return {
    output(bytes) {
      const all = Buffer.concat([waiting, bytes]);
      waiting = all.subarray(Math.max(0, all.length - maxOutputBytes));
      skippedBytes += all.length - waiting.length;
      send();
    },
    claim(claim) {
      claims = [...claims, JSON.stringify(claim)].slice(-100);
      send();
    },
    async close(limitMs) {
      const allSent = new Promise<void>((resolve) => {
        whenEmpty = resolve;
        send();
      });
      await abandonAfter(limitMs, allSent, () => undefined);
      closing.abort();
      socket?.end();
    },
  };
}

/** Of a process that nobody asks about. */
export const noReports: ReportClient = {
  output: () => undefined,
  claim: () => undefined,
  close: () => Promise.resolve(),
};
