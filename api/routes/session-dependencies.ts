import type { SessionEventFeed } from '../../store/session-events/feed.ts';
import type { SignApproval } from '../approvals/sign-approval.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { StreamReads } from '../event-stream/stream-reads.ts';
import type { StreamSlots } from '../event-stream/stream-slots.ts';

/** What the routes of sessions, requests and grants need beyond the rest of the API. */
export interface SessionRouteDependencies extends ApiDependencies {
  signApproval: SignApproval;
  eventFeed: SessionEventFeed;
  /** Shared by every route that keeps a stream open. */
  streamSlots: StreamSlots;
  /** Likewise: what open streams read, they read together. */
  streamReads: StreamReads;
}
