import type { SessionEventFeed } from '../store/session-events/feed.ts';
import type { ApiDependencies } from './dependencies.ts';
import type { StreamLimit } from './event-stream/stream-limit.ts';
import type { StreamReads } from './event-stream/stream-reads.ts';
import type { SignApproval } from './grants/sign-approval.ts';

/** What the routes of sessions, requests and grants need beyond the rest of the API. */
export interface SessionRouteDependencies extends ApiDependencies {
  signApproval: SignApproval;
  eventFeed: SessionEventFeed;
  /** Shared by every route that keeps a stream open. */
  streamLimit: StreamLimit;
  /** Likewise: what open streams read, they read together. */
  streamReads: StreamReads;
}
