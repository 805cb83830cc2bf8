/** What a one-shot sandbox hands over, at a socket on which the worker listens for it. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';

interface HandOver<Result> {
  /** The sandbox; it may have ended already. */
  process: ChildProcess;
  signal: AbortSignal;
  /** Reads what comes by the one connection, which is closed afterwards. */
  receive(socket: Socket): Promise<Result>;
  /** Throws why there is nothing; called once the sandbox has ended. */
  endedWithout(): Promise<never>;
}

/** Whichever comes first: the result, the sandbox's end without one, or the reason of the signal. */
export async function handedOver<Result>(
  server: Server,
  { process, signal, receive, endedWithout }: HandOver<Result>,
): Promise<Result> {
  const given = new AbortController();
  const received = onlyConnection(server, given.signal).then(async (socket) => {
    const abandon = () => socket.destroy();
    signal.addEventListener('abort', abandon, { once: true });
    try {
      return await receive(socket);
    } finally {
      signal.removeEventListener('abort', abandon);
      socket.destroy();
    }
  });
  const ended = untilEnd(process, given.signal).then(endedWithout);
  const stopped = once(signal, 'abort', { signal: given.signal }).then(() => {
    throw signal.reason;
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([received, ended, stopped]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    given.abort();
    await Promise.allSettled([received, ended, stopped]);
  }
}

/** Looks first: the event of a process that has ended does not come again. */
async function untilEnd(process: ChildProcess, signal: AbortSignal): Promise<void> {
  if (process.exitCode === null && process.signalCode === null) {
    await once(process, 'exit', { signal });
  }
}

/**
 * The first one, or the reason of the signal. Whatever connects later is closed at once, and no failure at
 * the server ends this process: a sandbox may connect as often as it likes.
 */
export function onlyConnection(server: Server, signal: AbortSignal): Promise<Socket> {
  server.maxConnections = 1;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    let isTaken = false;
    server.on('error', reject);
    server.on('connection', (socket) => {
      if (isTaken || signal.aborted) {
        socket.destroy();
        return;
      }
      isTaken = true;
      signal.removeEventListener('abort', giveUp);
      resolve(socket);
    });
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) {
      giveUp();
    }
  });
}
