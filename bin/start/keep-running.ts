/**
 * Keeps an embedded server running: restarted when it ends, at the same address, since others use it already.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { retry } from '../../lib/timing/retry.ts';
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
const delays = { firstDelayMs: 200, maxDelayMs: 10_000 };

/** Watches until the returned function is called, which stops the server. */
export function keepRunning<Server extends KeptServer>(
  first: Server,
  { name, restart, progress }: KeepOptions<Server>,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
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
    current = await retry(async () => samePlace(await restart()), {
      ...delays,
      signal,
      onRetry: (error) => progress(`${name} does not start: ${messageOf(error)}`),
    });
    progress(`${name} runs again`);
  };
  const watch = async () => {
    while (!signal.aborted) {
      // Both fail only when it is being stopped.
      const step = isRunning(current.process) ? sleep(lookEveryMs, undefined, { signal }) : startAgain();
      await step.catch(() => undefined);
    }
  };
  const watching = watch();

  return async () => {
    stopping.abort();
    await watching;
    await current.stop();
  };
}
