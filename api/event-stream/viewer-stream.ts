/**
 * What one viewer is sent: the events of sessions, and notifications of what else changed. It keeps no state
 * beyond the connection: a reconnecting client says which events it has already. Events are read from the
 * table by their `seq`, which the session's row lock keeps in commit order; announcements only say when to
 * read. So nothing is lost or doubled between backlog and live.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamMessage } from '../../contract/browser-stream.ts';
import { isTerminal } from '../../contract/session.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { WatchedSession } from '../../store/sessions/list.ts';
import type { Roles } from '../../store/sign-ins/sign-ins.ts';
import { Access, type StreamSource } from './access.ts';
import { type StreamTiming, untilNextCheckMs } from './stream-timing.ts';
import { NewsCollector } from './workspace-news.ts';

export interface StreamOptions {
  /** The last event that the client has, by session id. */
  after: ReadonlyMap<string, number>;
  timing: StreamTiming;
  signal: AbortSignal;
}

interface Watch {
  after: number;
  stop: () => void;
  /** The last record that the viewer was notified of. */
  lastRecord: string | null;
  tellAgain: boolean;
  /** The last text that the viewer was sent of a message that is still written. */
  liveText: string | null;
}

const newsEveryMs = 1_000;
/** Announced rounds of reading, on average: bounds the reads however many events are announced. */
const roundEveryMs = 100;
/** Rounds that a quiet stream has in hand: whoever waits for a few events has each at once. */
const roundsInHand = 4;

export class ViewerStream {
  private readonly bell: Bell;
  private readonly access: Access;
  private readonly watches: Map<string, Watch>;
  private readonly news: NewsCollector;
  private readonly source: StreamSource;
  private readonly options: StreamOptions;
  /** The last round left something unread or unsent. */
  private isBehind = false;

  constructor(source: StreamSource, options: StreamOptions) {
    this.source = source;
    this.options = options;
    this.bell = new Bell(options.signal);
    const ring = () => this.bell.ring();
    const { feed } = source;
    this.watches = new Map(
      [...options.after].map(([id, after]) => [
        id,
        { after, stop: feed.subscribe(id, ring), lastRecord: null, tellAgain: false, liveText: null },
      ]),
    );
    this.news = new NewsCollector((id, wake) => feed.subscribeWorkspace(id, wake), ring, newsEveryMs);
    this.access = new Access(source, { validMs: options.timing.checkMs, ring });
  }

  close(): void {
    this.access.close();
    this.news.follow(new Set());
    for (const { stop } of this.watches.values()) {
      stop();
    }
  }

  /** Null is a heartbeat. Ends when the sign-in has ended and when the signal aborts. */
  async *messages(): AsyncGenerator<StreamMessage | null> {
    const { timing, signal } = this.options;
    let sentAtMs = performance.now();
    let nextRoundAtMs = Number.NEGATIVE_INFINITY;
    // A client that sees the stream open reads everything once, and is notified of every change from here on.
    await this.access.read([]);
    this.news.follow(new Set(this.access.roles?.keys()));
    yield { type: 'open', user_id: this.source.viewer.userId };
    while (!signal.aborted) {
      for await (const message of this.round()) {
        yield message;
        sentAtMs = performance.now();
        if (message.type === 'signed_out') {
          return;
        }
      }
      if (performance.now() - sentAtMs >= timing.heartbeatMs) {
        yield null;
        sentAtMs = performance.now();
      }
      if (!this.isBehind) {
        await sleep(Math.max(0, nextRoundAtMs - performance.now()));
        if (await this.bell.wait(Math.min(untilNextCheckMs(timing), this.news.dueInMs()))) {
          const inHandMs = roundsInHand * roundEveryMs;
          nextRoundAtMs = Math.max(nextRoundAtMs, performance.now() - inHandMs) + roundEveryMs;
        }
      }
    }
  }

  /** Checks what the viewer may see, then yields what is new. */
  private async *round(): AsyncGenerator<StreamMessage> {
    const before = this.access.roles;
    this.isBehind = false;
    const sessions = await this.access.read([...this.watches.keys()]);
    const { roles } = this.access;
    if (roles === null) {
      yield { type: 'signed_out' };
      return;
    }
    this.news.follow(new Set(roles.keys()));
    if (before !== null && !sameRoles(before, roles)) {
      yield { type: 'memberships.changed' };
    }
    yield* this.sessions(sessions);
    const news = this.news.take();
    for (const [at, { workspaceId, topic }] of news.entries()) {
      if (this.mustCheck()) {
        this.news.putBack(news.slice(at));
        return;
      }
      yield { type: 'workspace.changed', workspace_id: workspaceId, topic };
    }
  }

  private async *sessions(found: ReadonlyMap<string, WatchedSession>): AsyncGenerator<StreamMessage> {
    for (const [id, watch] of this.watches) {
      const session = found.get(id);
      if (session === undefined || !this.access.mayRead(session)) {
        this.drop(id, watch);
        yield { type: 'session.closed', session_id: id, reason: 'refused' };
      } else if (this.mustCheck()) {
        return;
      } else {
        yield* this.session(session, watch);
      }
    }
  }

  private async *session(session: WatchedSession, watch: Watch): AsyncGenerator<StreamMessage> {
    const { id, status, last_event_seq: lastSeq, last_record: record } = session;
    const position = { sessionId: id, after: watch.after };
    for (const event of lastSeq > watch.after ? await this.source.reads.events(position) : []) {
      if (this.mustCheck()) {
        return;
      }
      yield { type: 'session.event', event };
      watch.after = event.seq;
    }
    if (this.mustCheck()) {
      return;
    }
    if (record !== watch.lastRecord || watch.tellAgain) {
      // A record may be committed after one with a higher position, so each change is announced twice.
      watch.tellAgain = record !== watch.lastRecord && watch.lastRecord !== null;
      watch.lastRecord = record;
      yield { type: 'session.recorded', session_id: id };
    }
    yield* this.liveText(session, watch);
    if (watch.after < lastSeq) {
      this.isBehind = true;
    } else if (isTerminal(status)) {
      this.drop(id, watch);
      yield { type: 'session.closed', session_id: id, reason: 'ended' };
    }
  }

  /**
   * The whole text so far: a reader that is slow misses those in between. After what came before it, so that
   * the event of a message is never sent before its text.
   */
  private async *liveText(
    { id, last_event_seq: lastSeq, live_text: now }: WatchedSession,
    watch: Watch,
  ): AsyncGenerator<StreamMessage> {
    if (now === null || now === watch.liveText || watch.after < lastSeq) {
      return;
    }
    const live = await this.source.reads.liveText(id);
    if (this.mustCheck()) {
      return;
    }
    watch.liveText = now;
    if (live !== null) {
      yield { type: 'session.text', session_id: id, message_id: live.message_id, text: live.text };
    }
  }

  /** A slow client may have lost access in the meantime. */
  private mustCheck(): boolean {
    const mustCheck = this.options.signal.aborted || this.access.isStale();
    this.isBehind ||= mustCheck;
    return mustCheck;
  }

  private drop(id: string, watch: Watch): void {
    watch.stop();
    this.watches.delete(id);
  }
}

const sameRoles = (before: Roles, after: Roles) =>
  before.size === after.size && [...before].every(([id, role]) => after.get(id) === role);

/** Keeps a ring until the next wait, so that one between a read and the wait is not missed. */
class Bell {
  private rung = false;
  private answer: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.ring(), { once: true });
  }

  ring(): void {
    this.rung = true;
    this.answer();
  }

  /** Returns whether it rang within the limit. */
  async wait(limitMs: number): Promise<boolean> {
    if (!this.rung) {
      const rung = new Promise<void>((resolve) => {
        this.answer = resolve;
      });
      await abandonAfter(limitMs, rung, () => undefined);
    }
    const rang = this.rung;
    this.rung = false;
    return rang;
  }
}
