/**
 * What the stream tells this tab, carried to the pages: session events to their followers,
 * other changes to the cache.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { StreamMessage, WorkspaceTopic } from '../../../../contract/browser-stream.ts';
import { watchedFetch } from '../client.ts';
import {
  readConnection,
  reportSignedIn,
  reportSignedOut,
  reportSomebodyElse,
  subscribeConnection,
} from '../connection.ts';
import type { LinkState } from '../event-stream.ts';
import { keys } from '../keys.ts';
import { stale } from '../stale.ts';
import type { Me, SessionEvent } from '../types.ts';
import { Refresher } from './refresher.ts';
import type { SessionFollower } from './session-follower.ts';
import type { Watches } from './stream-hub.ts';
import { type StreamStatus, TabStream } from './tab-stream.ts';

type OnText = (text: { messageId: string; text: string }) => void;
type Follower = SessionFollower<SessionEvent>;

/** The polling interval without a stream. */
const askEveryMs = 15_000;

export class Live {
  private readonly userId: string;
  private readonly queries: QueryClient;
  private readonly refresher: Refresher;
  private readonly stream: TabStream;
  private readonly followers = new Map<string, Set<Follower>>();
  private readonly textListeners = new Map<string, Set<OnText>>();
  private readonly stateListeners = new Set<(state: LinkState) => void>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private unsubscribe: () => void = () => undefined;
  private wasSignedOut = false;
  private wasLive = false;

  constructor(userId: string, queries: QueryClient, onLeft: () => void) {
    this.userId = userId;
    this.queries = queries;
    this.refresher = new Refresher(queries);
    this.stream = new TabStream(userId, watchedFetch, {
      onMessage: (message) => this.take(message),
      onStatus: (status) => this.takeStatus(status),
      onAhead: (positions) => this.takeAhead(positions),
      onLeft,
    });
  }

  start(): void {
    this.stream.start();
    this.timer = setInterval(() => this.askWithoutStream(), askEveryMs);
    this.unsubscribe = subscribeConnection(() => this.onConnection());
  }

  stop(): void {
    clearInterval(this.timer);
    this.unsubscribe();
    this.refresher.stop();
    this.stream.stop();
  }

  get state(): LinkState {
    return this.stream.state;
  }

  /** Tells the other tabs of this browser that the person signed out. */
  leave(): void {
    this.stream.leave();
  }

  onState(listener: (state: LinkState) => void): () => void {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  /** Events of the session go to this follower. Returns the way to stop. */
  follow(sessionId: string, follower: Follower): () => void {
    return addTo(this.followers, sessionId, follower);
  }

  /** What the session's agent writes goes to this listener. Returns the way to stop. */
  onText(sessionId: string, listener: OnText): () => void {
    return addTo(this.textListeners, sessionId, listener);
  }

  watch(sessionId: string, after: number): void {
    this.stream.watch(sessionId, after);
  }

  reached(sessionId: string, seq: number): void {
    this.stream.reached(sessionId, seq);
  }

  unwatch(sessionId: string): void {
    this.stream.unwatch(sessionId);
  }

  private take(message: StreamMessage): void {
    switch (message.type) {
      case 'open':
        this.takeOpen(message.user_id);
        return;
      case 'session.event':
        for (const follower of this.of(message.event.session_id)) {
          follower.take(message.event);
        }
        return;
      case 'session.text':
        for (const listener of this.textListeners.get(message.session_id) ?? []) {
          listener({ messageId: message.message_id, text: message.text });
        }
        return;
      case 'session.closed':
        this.catchUp(message.session_id);
        return;
      case 'session.recorded':
        this.refreshRecords(message.session_id);
        return;
      case 'workspace.changed':
        this.takeWorkspaceChange(message.workspace_id, message.topic);
        return;
      case 'memberships.changed':
        this.refresher.refresh(keys.me);
        return;
      case 'signed_out':
        reportSignedOut();
        return;
    }
  }

  private takeOpen(userId: string): void {
    if (userId !== this.userId) {
      reportSomebodyElse();
      this.stream.stop();
    } else if (readConnection().signedOut) {
      reportSignedIn();
      void this.queries.invalidateQueries();
    }
  }

  private takeWorkspaceChange(workspaceId: string, topic: WorkspaceTopic): void {
    const me = this.queries.getQueryData<Me>(keys.me);
    const slug = me?.workspaces.find(({ id }) => id === workspaceId)?.slug;
    if (slug === undefined) {
      this.refresher.refresh(keys.me);
      return;
    }
    this.refresher.refresh(keys.home(slug));
    if (topic === 'permission_requests') {
      this.refresher.refresh(keys.permissionRequests(slug));
      return;
    }
    if (topic === 'tool_definitions') {
      for (const key of stale.toolDefinitions(slug)) {
        this.refresher.refresh(key);
      }
      return;
    }
    this.refresher.refresh(keys.sessions(slug));
    this.refresher.refresh(keys.previews(slug));
    this.refreshShownSessions();
  }

  private takeStatus({ state, refusedWith }: StreamStatus): void {
    if (refusedWith === 401) {
      reportSignedOut();
    }
    if (state === 'live') {
      // Announcements were missed, unless another tab had the stream before this page read anything.
      if (this.wasLive || this.stream.isHolder) {
        this.refreshAll();
      }
      this.wasLive = true;
    }
    for (const listener of this.stateListeners) {
      listener(state);
    }
  }

  private takeAhead(positions: Watches): void {
    for (const [sessionId, seq] of Object.entries(positions)) {
      for (const follower of this.of(sessionId)) {
        follower.isAt(seq);
      }
    }
  }

  private onConnection(): void {
    const { signedOut } = readConnection();
    if (this.wasSignedOut && !signedOut) {
      this.stream.retry();
    }
    this.wasSignedOut = signedOut;
  }

  private askWithoutStream(): void {
    const { signedOut, connection } = readConnection();
    // More requests would only keep the stream waiting; once it is live, everything is read.
    const isUseless = signedOut || connection === 'unreachable' || this.stream.isLimited;
    if (this.state !== 'live' && !isUseless) {
      this.refreshAll();
    }
  }

  /** Refreshes whatever the stream may have missed. */
  private refreshAll(): void {
    const me = this.queries.getQueryData<Me>(keys.me);
    this.refresher.refresh(keys.me);
    for (const { slug } of me?.workspaces ?? []) {
      this.refresher.refresh(keys.home(slug));
      this.refresher.refresh(keys.sessions(slug));
      this.refresher.refresh(keys.previews(slug));
      this.refresher.refresh(keys.permissionRequests(slug));
      this.refresher.refresh(keys.changedServers(slug));
    }
    this.refreshShownSessions();
    for (const sessionId of this.followers.keys()) {
      this.refreshRecords(sessionId);
      this.catchUp(sessionId);
    }
  }

  private refreshRecords(sessionId: string): void {
    this.refresher.refresh(keys.session(sessionId, 'tool-calls'));
    this.refresher.refresh(keys.session(sessionId, 'open-calls'));
    this.refresher.refresh(keys.session(sessionId, 'refused-calls'));
    this.refresher.refresh(keys.session(sessionId, 'processes'));
  }

  private refreshShownSessions(): void {
    for (const sessionId of this.followers.keys()) {
      this.refresher.refresh(keys.session(sessionId, 'one'));
      this.refresher.refresh(keys.session(sessionId, 'tree'));
    }
  }

  private of(sessionId: string): Iterable<Follower> {
    return this.followers.get(sessionId) ?? [];
  }

  private catchUp(sessionId: string): void {
    for (const follower of this.of(sessionId)) {
      follower.catchUp();
    }
  }
}

/** Returns the way to remove it again. */
function addTo<Value>(byKey: Map<string, Set<Value>>, key: string, value: Value): () => void {
  const values = byKey.get(key) ?? new Set();
  byKey.set(key, values.add(value));
  return () => {
    values.delete(value);
    if (values.size === 0 && byKey.get(key) === values) {
      byKey.delete(key);
    }
  };
}
