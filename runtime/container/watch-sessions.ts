/** Watches the sessions on an engine by its events. */
import type { Logger } from 'pino';
import { uuid } from '../../contract/names.ts';
import { retry } from '../../lib/timing/retry.ts';
import type { Engine } from './engine.ts';
import { labelKeys } from './names.ts';
import { listSessions } from './session-containers.ts';

/** An engine without events is asked for all sessions that often. */
const delays = { firstDelayMs: 200, maxDelayMs: 2000, ref: false };

/**
 * Calls back as `Runtime.watch` says: after each interruption with every session. Returns a function to stop.
 */
export function watchSessions(
  engine: Pick<Engine, 'watchContainers' | 'listContainers' | 'listVolumes'>,
  installation: string,
  onChange: (sessionId: string) => void,
  logger: Logger,
): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const nameAll = async () => {
    for (const sessionId of await listSessions(engine, installation)) {
      onChange(sessionId);
    }
  };
  const watch = async () => {
    // For an engine whose events cannot be had; those of a stream count from when it is open.
    await nameAll();
    let named: Promise<void> = Promise.resolve();
    const onOpen = () => {
      named = nameAll();
      named.catch(() => undefined);
    };
    const onEvent = (labels: Readonly<Record<string, string>>) => {
      const sessionId = uuid.safeParse(labels[labelKeys.session]).data;
      if (sessionId !== undefined && labels[labelKeys.installation] === installation) {
        onChange(sessionId);
      }
    };
    await engine.watchContainers(`${labelKeys.installation}=${installation}`, { onOpen, onEvent }, signal);
    await named;
    throw new Error('the engine ended its stream of events');
  };
  const onRetry = (error: unknown) =>
    logger.warn(
      { reason: error instanceof Error ? error.message : 'unknown' },
      'the watch of sessions ended',
    );
  // Fails only when it is stopped.
  void retry(watch, { ...delays, signal, onRetry }).catch(() => undefined);
  return () => stopping.abort();
}
