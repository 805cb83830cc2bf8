/** What a one-shot sandbox hands over, at a socket on which the worker listens for it. */
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';

interface HandOver<Result> {
  signal: AbortSignal;
  /** Reads what comes by the one connection, which is closed afterwards. */
  receive(socket: Socket): Promise<Result>;
  /** Throws why there is nothing, once the sandbox has ended. Its signal says that nobody waits any more. */
  endedWithout(signal: AbortSignal): Promise<never>;
}

/** Whichever comes first: the result, the sandbox's end without one, or the reason of the signal. */
export async function handedOver<Result>(
  server: Server,
  { signal, receive, endedWithout }: HandOver<Result>,
): Promise<Result> {
  const given = new AbortController();
  const received = nextConnection(server, given.signal).then(async (socket) => {
    const abandon = () => socket.destroy();
    signal.addEventListener('abort', abandon, { once: true });
    try {
      return await receive(socket);
    } finally {
      signal.removeEventListener('abort', abandon);
      socket.destroy();
    }
  });
  const ended = endedWithout(given.signal);
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

async function nextConnection(server: Server, signal: AbortSignal): Promise<Socket> {
  const [socket]: Socket[] = await once(server, 'connection', { signal });
  if (socket === undefined) {
    throw new Error('there is no connection');
  }
  return socket;
}
