/**
 * What the API gives its platform tools, for a bench that calls them itself: nothing is delivered, and no
 * search waits for another.
 */
import { pino } from 'pino';
import { embeddingServersWith } from '../../api/embedding-provider/provider-url.ts';
import { createChildWaits } from '../../api/platform-tools/child-waits.ts';
import type { ToolDependencies } from '../../api/platform-tools/tool.ts';
import { createByteBudget } from '../../lib/limits/byte-budget.ts';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';

export const toolDependencies = (given: Pick<ToolDependencies, 'db' | 'config'>): ToolDependencies => ({
  ...given,
  log: pino({ level: 'silent' }),
  workflows: {
    startChannelMessage: async () => undefined,
    startServicePreview: async () => undefined,
    startSession: async () => undefined,
    signalSession: async () => true,
  },
  childWaits: createChildWaits({ subscribe: () => () => undefined }),
  embeddingServers: embeddingServersWith(new Map()),
  searchBudget: createByteBudget(Number.MAX_SAFE_INTEGER),
  runExclusive: createKeyedMutex(),
});
