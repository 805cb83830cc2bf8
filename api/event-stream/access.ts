/**
 * What one viewer may read: their own sign-in and roles, and the existing policy for each session.
 * Never shared between viewers.
 */
import type { SessionEventFeed } from '../../store/session-events/feed.ts';
import type { WatchedSession } from '../../store/sessions/list.ts';
import type { Roles, SignIn } from '../../store/sign-ins/sign-ins.ts';
import { whyNotReadSession } from '../policies/sessions.ts';
import type { StreamReads } from './stream-reads.ts';

/** What a stream is made from. */
export interface StreamSource {
  viewer: SignIn;
  reads: StreamReads;
  feed: Pick<SessionEventFeed, 'subscribe' | 'subscribeWorkspace' | 'subscribeUser'>;
}

export class Access {
  private lastRoles: Roles | null = null;
  private askedAtMs = Number.NEGATIVE_INFINITY;
  private hasChanged = false;
  private readonly source: StreamSource;
  private readonly validMs: number;
  private readonly stop: () => void;

  /** `ring` is called when the viewer's sign-in or memberships may have changed. */
  constructor(source: StreamSource, { validMs, ring }: { validMs: number; ring: () => void }) {
    this.source = source;
    this.validMs = validMs;
    this.stop = source.feed.subscribeUser(source.viewer.userId, () => {
      this.hasChanged = true;
      ring();
    });
  }

  /** As they were last read; null before that, and when the sign-in is over. */
  get roles(): Roles | null {
    return this.lastRoles;
  }

  /** Reads the viewer's roles and these sessions, at the same time. */
  async read(sessionIds: readonly string[]): Promise<ReadonlyMap<string, WatchedSession>> {
    this.hasChanged = false;
    // What is read is at least as recent as the question, however long the answer takes.
    this.askedAtMs = performance.now();
    const { reads, viewer } = this.source;
    const [roles, sessions] = await Promise.all([reads.roles(viewer), reads.sessions(sessionIds)]);
    this.lastRoles = roles;
    return sessions;
  }

  /** Whether what was read is too old to send anything on it. */
  isStale(): boolean {
    return this.hasChanged || performance.now() - this.askedAtMs >= this.validMs;
  }

  mayRead(session: WatchedSession): boolean {
    const role = this.lastRoles?.get(session.workspace_id);
    const { userId } = this.source.viewer;
    return (
      role !== undefined &&
      whyNotReadSession({ userId, role }, session, session.shared_with_workspace) === null
    );
  }

  close(): void {
    this.stop();
  }
}
