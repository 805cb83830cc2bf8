/** One log for the worker and for the Temporal SDK in it. */
import { Runtime } from '@temporalio/worker';
import { type Logger, pino } from 'pino';

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** JSON lines on standard output. Signals stay the program's own. */
export function createLogger(level: string): Logger {
  const log = pino({ level, base: { process: 'worker' } });
  const sdk = log.child({ part: 'temporal' });
  Runtime.install({
    shutdownSignals: [],
    logger: {
      log: (sdkLevel, message, meta) => sdk[levels[sdkLevel]](meta ?? {}, message),
      trace: (message, meta) => sdk.trace(meta ?? {}, message),
      debug: (message, meta) => sdk.debug(meta ?? {}, message),
      info: (message, meta) => sdk.info(meta ?? {}, message),
      warn: (message, meta) => sdk.warn(meta ?? {}, message),
      error: (message, meta) => sdk.error(meta ?? {}, message),
    },
    telemetryOptions: { logging: { filter: 'temporalio_sdk_core=WARN', forward: {} } },
  });
  return log;
}
