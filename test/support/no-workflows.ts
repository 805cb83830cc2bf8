/**
 * Stand-ins for a Temporal that takes everything and a feed that announces nothing, for
 * tests of something else.
 */
import type { ToolDependencies } from '../../api/platform-tools/tool.ts';
import type { SessionEventFeed } from '../../store/session-events/feed.ts';

export const noWorkflows: ToolDependencies['workflows'] = {
  startChannelMessage: async () => undefined,
  startServicePreview: async () => undefined,
  startSession: async () => undefined,
  signalSession: async () => true,
};

export const silentFeed: Pick<SessionEventFeed, 'subscribe'> = { subscribe: () => () => undefined };
