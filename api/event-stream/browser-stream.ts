/**
 * One stream for all tabs of a browser (docs/decisions/0025-one-stream-for-all-tabs.md): the events of the sessions that
 * they show, and notifications of what else changed for the reader. It keeps no state beyond the connection: a reconnecting client says which events it has already.
 * Events are read from the table by `seq`, as in session-stream.ts; announcements only say when to read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamMessage } from '../../contract/browser-stream.ts';
import { isTerminal } from '../../contract/session.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { SessionEventFeed } from '../../store/session-events/feed.ts';
import type { WatchedSession } from '../../store/sessions/read-watched.ts';
import { whyNotReadSession } from '../policies/sessions.ts';
import { Bell } from './bell.ts';
import type { StreamTiming } from './session-stream.ts';
import { NewsCollector } from './workspace-news.ts';

type Roles = ReadonlyMap<string, WorkspaceRole>;

export interface BrowserStreamSource {
  userId: string;
  /** The reader's role by workspace id; null when their sign-in is over. */
  readRoles(): Promise<Roles | null>;
  readSessions(ids: readonly string[]): Promise<ReadonlyMap<string, WatchedSession>>;
  /** The next events with `seq` above `after`, in order. */
  readEvents(sessionId: string, after: number): Promise<SessionEvent[]>;
  feed: Pick<SessionEventFeed, 'subscribe' | 'subscribeWorkspace' | 'subscribeUser'>;
}

interface Watch {
  after: number;
  stop: () => void;
  /** The last record that the reader was notified of. */
  lastRecord: string | null;
  tellAgain: boolean;
}

const newsEveryMs = 1_000;
/** Minimum interval between rounds of reading: bounds the reads however many events are announced. */
const roundEveryMs = 100;

/** Yields server-sent events. Ends when the sign-in has ended and when `signal` aborts. */
export async function* streamToBrowser(
  source: BrowserStreamSource,
  options: { after: ReadonlyMap<string, number>; timing: StreamTiming; signal: AbortSignal },
): AsyncGenerator<string> {
  const stream = new BrowserStream(source, options);
  try {
    for await (const message of stream.messages()) {
      yield message === null ? ': still here\n\n' : `data: ${JSON.stringify(message)}\n\n`;
    }
  } finally {
    stream.close();
  }
}

class BrowserStream {
  private readonly bell: Bell;
  private readonly watches: Map<string, Watch>;
  private readonly news: NewsCollector;
  private readonly stopUser: () => void;
  private readonly timing: StreamTiming;
  private readonly signal: AbortSignal;
  private readonly source: BrowserStreamSource;
  private roles: Roles | null = null;
  private rolesReadAt = 0;
  private accessChanged = false;
  /** The last round left something unread. */
  private isBehind = false;

  constructor(
    source: BrowserStreamSource,
    options: { after: ReadonlyMap<string, number>; timing: StreamTiming; signal: AbortSignal },
  ) {
    this.source = source;
    this.timing = options.timing;
    this.signal = options.signal;
    this.bell = new Bell(options.signal);
    const ring = () => this.bell.ring();
    const { feed, userId } = source;
    this.watches = new Map(
      [...options.after].map(([id, after]) => [
        id,
        { after, stop: feed.subscribe(id, ring), lastRecord: null, tellAgain: false },
      ]),
    );
    this.news = new NewsCollector((id, wake) => feed.subscribeWorkspace(id, wake), ring, newsEveryMs);
    this.stopUser = feed.subscribeUser(userId, () => {
      this.accessChanged = true;
      ring();
    });
  }

  close(): void {
    this.stopUser();
    this.news.follow(new Set());
    for (const { stop } of this.watches.values()) {
      stop();
    }
  }

  /** Null is a heartbeat. */
  async *messages(): AsyncGenerator<StreamMessage | null> {
    let sentAt = Date.now();
    // A client that sees the stream open reads everything once, and is notified of every change from here on.
    this.roles = await this.source.readRoles();
    this.news.follow(new Set(this.roles?.keys()));
    yield { type: 'open', user_id: this.source.userId };
    while (!this.signal.aborted) {
      const startedAt = Date.now();
      for await (const message of this.round()) {
        yield message;
        sentAt = Date.now();
        if (message.type === 'signed_out') {
          return;
        }
      }
      if (Date.now() - sentAt >= this.timing.heartbeatMs) {
        yield null;
        sentAt = Date.now();
      }
      if (!this.isBehind) {
        await sleep(Math.max(0, startedAt + roundEveryMs - Date.now()));
        await this.bell.wait(Math.min(this.timing.checkMs, this.news.dueInMs()));
      }
    }
  }

  /** Checks what the reader may see, then yields what is new. */
  private async *round(): AsyncGenerator<StreamMessage> {
    const before = this.roles;
    this.accessChanged = false;
    this.isBehind = false;
    const roles = await this.source.readRoles();
    this.roles = roles;
    this.rolesReadAt = Date.now();
    if (roles === null) {
      yield { type: 'signed_out' };
      return;
    }
    this.news.follow(new Set(roles.keys()));
    if (before !== null && !sameRoles(before, roles)) {
      yield { type: 'memberships.changed' };
    }
    yield* this.sessions(roles);
    for (const { workspaceId, topic } of this.news.take()) {
      yield { type: 'workspace.changed', workspace_id: workspaceId, topic };
    }
  }

  private async *sessions(roles: Roles): AsyncGenerator<StreamMessage> {
    const found = await this.source.readSessions([...this.watches.keys()]);
    for (const [id, watch] of this.watches) {
      const session = found.get(id);
      if (session === undefined || !this.mayRead(session, roles)) {
        this.drop(id, watch);
        yield { type: 'session.closed', session_id: id, reason: 'refused' };
      } else {
        yield* this.session(session, watch);
      }
      if (this.mustCheck()) {
        this.isBehind = true;
        return;
      }
    }
  }

  private async *session(session: WatchedSession, watch: Watch): AsyncGenerator<StreamMessage> {
    const { id, status, last_event_seq: lastSeq, last_record: record } = session;
    const events = lastSeq > watch.after ? await this.source.readEvents(id, watch.after) : [];
    for (const event of events) {
      if (this.mustCheck()) {
        return;
      }
      yield { type: 'session.event', event };
      watch.after = event.seq;
    }
    if (record !== watch.lastRecord || watch.tellAgain) {
      // A record may be committed after one with a higher position, so each change is announced twice.
      watch.tellAgain = record !== watch.lastRecord && watch.lastRecord !== null;
      watch.lastRecord = record;
      yield { type: 'session.recorded', session_id: id };
    }
    if (watch.after < lastSeq) {
      this.isBehind = true;
    } else if (isTerminal(status)) {
      this.drop(id, watch);
      yield { type: 'session.closed', session_id: id, reason: 'ended' };
    }
  }

  private mayRead(session: WatchedSession, roles: Roles): boolean {
    const role = roles.get(session.workspace_id);
    const visitor = { userId: this.source.userId };
    return (
      role !== undefined &&
      whyNotReadSession({ ...visitor, role }, session, session.shared_with_workspace) === null
    );
  }

  /** A slow reader may have lost access in the meantime. */
  private mustCheck(): boolean {
    const isOld = Date.now() - this.rolesReadAt >= this.timing.checkMs;
    return this.signal.aborted || this.accessChanged || isOld;
  }

  private drop(id: string, watch: Watch): void {
    watch.stop();
    this.watches.delete(id);
  }
}

const sameRoles = (before: Roles, after: Roles) =>
  before.size === after.size && [...before].every(([id, role]) => after.get(id) === role);
