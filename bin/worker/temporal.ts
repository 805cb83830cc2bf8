/** The worker's connection to Temporal. */
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import type { TemporalConnection } from '../../config/temporal.ts';
import { searchAttributes } from '../../contract/workflows.ts';
import { retry } from '../../lib/timing/retry.ts';

const delays = { firstDelayMs: 500, maxDelayMs: 10_000 };

/** Retries until Temporal answers, or `signal` stops it; logs each time what it waits for. */
export async function connectToTemporal(
  { address, tls, apiKey }: TemporalConnection,
  log: Logger,
  signal: AbortSignal,
): Promise<NativeConnection> {
  signal.throwIfAborted();
  const options = { address, ...(tls && { tls }), ...(apiKey && { apiKey }) };
  return retry(() => NativeConnection.connect(options), {
    ...delays,
    signal,
    onRetry: (err, pauseMs) => log.warn({ address, err, pauseMs }, 'Temporal does not answer; trying again'),
  });
}

/**
 * Which search attributes of the platform the namespace knows. An operator adds them; sessions
 * run without them as well.
 */
export async function knownSearchAttributes(
  connection: NativeConnection,
  namespace: string,
  log: Logger,
): Promise<Pick<ActivityDependencies, 'searchAttributesKnown' | 'subjectAttributeKnown'>> {
  const known: string[] = await connection.operatorService
    .listSearchAttributes({ namespace })
    .then(({ customAttributes }) => Object.keys(customAttributes))
    .catch(() => []);
  const missing = Object.values(searchAttributes).filter((name) => !known.includes(name));
  if (missing.length > 0) {
    log.warn(
      { namespace, missing },
      'the namespace lacks search attributes; workflows are not found by them',
    );
  }
  const { subject } = searchAttributes;
  return {
    searchAttributesKnown: missing.every((name) => name === subject),
    subjectAttributeKnown: !missing.includes(subject),
  };
}
