/** Keeps an embedded server running: restarted when it ends, at the same address, since others use it already. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, type ProcessIdentity } from '../../runtime/process/process-identity.ts';
import { messageOf, StartError } from './start-error.ts';

export interface KeptServer {
  process: ProcessIdentity;
  port: number;
  stop(): Promise<void>;
}

export interface KeepOptions<Server extends KeptServer> {
  name: string;
  /** Starts it again, on the same port if that is free; throws when it does not start. */
  restart(): Promise<Server>;
  progress(line: string): void;
}

const lookEveryMs = 250;
const firstPauseMs = 200;
const longestPauseMs = 10_000;

/** Watches until the returned function is called, which stops the server. */
export function keepRunning<Server extends KeptServer>(
  first: Server,
  { name, restart, progress }: KeepOptions<Server>,
): () => Promise<void> {
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  let current: Server = first;

  const samePlace = async (server: Server) => {
    if (server.port !== first.port) {
      await server.stop();
      throw new StartError(`another program has taken its port ${first.port}`);
    }
    return server;
  };
  const startAgain = async () => {
    progress(`${name} ended; starting it again`);
    for (
      let pauseMs = firstPauseMs;
      !stopping.signal.aborted;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    ) {
      try {
        current = await samePlace(await restart());
        progress(`${name} runs again`);
        return;
      } catch (error) {
        progress(`${name} does not start: ${messageOf(error)}`);
        await pause(pauseMs);
      }
    }
  };
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await (isRunning(current.process) ? pause(lookEveryMs) : startAgain());
    }
  };
  const watching = watch();

  return async () => {
    stopping.abort();
    await watching;
    await current.stop();
  };
}
