/** The list of the tools that the API runs. It is asked for with the first connection of the agent, and kept. */
import type { Logger } from 'pino';
import type { ListedPlatformTool } from '../../contract/platform-tools.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal } from '../platform-api/request.ts';

export interface RelayedTools {
  /** Empty where the platform does not say them in time, or is of a release without such tools: the next connection asks again. */
  list(): Promise<readonly ListedPlatformTool[]>;
}

/** A connection waits for the list no longer than that: an agent must not fail because the API restarts. */
const defaultWaitMs = 5000;
/** What one connection gave up waiting for may still serve the next. */
const askLimitMs = 30_000;

export function createRelayedTools(
  api: Pick<PlatformApi, 'listTools'>,
  logger: Logger,
  { waitMs = defaultWaitMs }: { waitMs?: number } = {},
): RelayedTools {
  let known: readonly ListedPlatformTool[] | null = null;
  let asking: Promise<readonly ListedPlatformTool[]> | null = null;

  const ask = async (): Promise<readonly ListedPlatformTool[]> => {
    try {
      known = await api.listTools(askLimitMs);
      return known;
    } catch (error) {
      const isOlder = error instanceof PlatformRefusal && error.status === 404;
      logger[isOlder ? 'debug' : 'warn'](
        { reason: error instanceof Error ? error.message : 'unknown' },
        'the platform lists no tools of its own; the agent has those of the sidecar',
      );
      return [];
    } finally {
      asking = null;
    }
  };

  return {
    async list() {
      if (known !== null) {
        return known;
      }
      asking ??= ask();
      return abandonAfter(waitMs, asking, () => []);
    },
  };
}
