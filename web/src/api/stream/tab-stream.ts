/**
 * One stream for all tabs of a browser (docs/decisions/0025): over HTTP/1.1 a browser has six connections for
 * one address, so that a stream for each tab would stop the seventh. The tab that gets the lock holds the
 * stream and tells the others; when it is closed or crashes, the browser gives the lock to the next, and when
 * it hangs, a visible tab takes it.
 */
import type { StreamMessage } from '../../../../contract/browser-stream.ts';
import { maxWatchedSessions } from '../../../../contract/watched-sessions.ts';
import type { LinkState } from '../event-stream.ts';
import type { ApiFailure } from '../failure.ts';
import { StreamHub, type Watches } from './stream-hub.ts';

export interface StreamStatus {
  state: LinkState;
  /** HTTP status of the refusal, when there was one. */
  refusedWith: number | null;
}

export interface StreamListener {
  onMessage(message: StreamMessage): void;
  onStatus(status: StreamStatus): void;
  /** These sessions are ahead of this tab. */
  onAhead(positions: Watches): void;
  /** The person signed out in another tab. */
  onLeft(): void;
}

/** To everybody on the channel; what only the holder of the stream sends has its own kinds. */
type TabMessage =
  | { kind: 'watch'; tab: string; watches: Watches }
  | { kind: 'bye'; tab: string }
  | { kind: 'ping' }
  | { kind: 'retry' }
  | { kind: 'left' }
  | { kind: 'roll-call' }
  | { kind: 'status'; status: StreamStatus }
  | { kind: 'message'; message: StreamMessage }
  | { kind: 'ahead'; tab: string; positions: Watches };

const pingEveryMs = 3_000;
/** After that many pings without an answer, the holder of the stream is considered hung. */
const lostPings = 3;
const rollCallEveryMs = 60_000;
/** A tab that missed this many roll calls is dropped. */
const missedRollCalls = 2;
const gatherMs = 100;

export class TabStream {
  private readonly tab = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  private readonly name: string;
  private readonly listener: StreamListener;
  private readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  private readonly channel: BroadcastChannel | null;
  private readonly watches = new Map<string, number>();
  private readonly timers: ReturnType<typeof setInterval>[] = [];
  private readonly heardAt = new Map<string, number>();
  private hub: StreamHub | null = null;
  private release: () => void = () => undefined;
  private queued = new AbortController();
  private status: StreamStatus = { state: 'connecting', refusedWith: null };
  private unansweredPings = 0;
  private stopped = false;

  constructor(
    userId: string,
    fetch: (url: string, init: RequestInit) => Promise<Response>,
    listener: StreamListener,
  ) {
    this.name = `platform-stream ${userId}`;
    this.fetch = fetch;
    this.listener = listener;
    // Without locks (plain http to another machine) nobody can be chosen: each tab has its own stream.
    this.channel = 'locks' in navigator ? new BroadcastChannel(this.name) : null;
  }

  start(): void {
    this.channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => this.hear(data));
    window.addEventListener('pagehide', this.onPageHide);
    document.addEventListener('visibilitychange', this.onVisible);
    this.timers.push(setInterval(() => this.ping(), pingEveryMs));
    this.timers.push(setInterval(() => this.callRoll(), rollCallEveryMs));
    this.announce();
    void this.lead(false);
  }

  /** Stops permanently; idempotent. */
  stop(): void {
    if (this.stopped) {
      return;
    }
    this.send({ kind: 'bye', tab: this.tab });
    this.stopped = true;
    window.removeEventListener('pagehide', this.onPageHide);
    document.removeEventListener('visibilitychange', this.onVisible);
    this.timers.forEach(clearInterval);
    this.queued.abort();
    this.resign();
    this.channel?.close();
  }

  /** Whether this tab holds the stream for all. */
  get isHolder(): boolean {
    return this.hub !== null;
  }

  get state(): LinkState {
    return this.status.state;
  }

  /** Whether the stream waits because of too many requests. */
  get isLimited(): boolean {
    return this.status.refusedWith === 429;
  }

  watch(sessionId: string, after: number): void {
    this.watches.set(sessionId, after);
    this.announce();
  }

  /** This tab has the session's events up to this `seq`. */
  reached(sessionId: string, seq: number): void {
    if (this.watches.has(sessionId)) {
      this.watches.set(sessionId, seq);
    }
  }

  unwatch(sessionId: string): void {
    if (this.watches.delete(sessionId)) {
      this.announce();
    }
  }

  /**
   * Connects now when the stream waits for its next attempt: a person signed in, or the
   * platform is reachable again.
   */
  retry(): void {
    this.hub?.retry();
    this.send({ kind: 'retry' });
  }

  /** Tells the other tabs that this one signed out. */
  leave(): void {
    this.send({ kind: 'left' });
  }

  private async lead(steal: boolean): Promise<void> {
    if (this.channel === null) {
      return this.takeOver();
    }
    this.queued.abort();
    this.queued = new AbortController();
    const how: LockOptions = steal ? { steal } : { signal: this.queued.signal };
    const held = navigator.locks.request(this.name, how, async () => {
      if (!this.stopped) {
        this.takeOver();
        await new Promise<void>((resolve) => {
          this.release = resolve;
        });
      }
    });
    await held.catch(() => undefined);
    if (!this.stopped && this.hub !== null) {
      // Another tab took the lock because this one did not answer.
      this.resign();
      void this.lead(false);
    }
  }

  private takeOver(): void {
    this.unansweredPings = 0;
    this.hub?.stop();
    this.hub = new StreamHub({
      fetch: this.fetch,
      maxSessions: maxWatchedSessions,
      gatherMs,
      onMessage: (message) => {
        this.send({ kind: 'message', message });
        this.listener.onMessage(message);
      },
      onState: (state, failure) => this.tellStatus(state, failure),
    });
    this.hub.watch(this.tab, Object.fromEntries(this.watches));
    this.send({ kind: 'roll-call' });
    this.hub.start();
  }

  private resign(): void {
    this.hub?.stop();
    this.hub = null;
    this.release();
  }

  private tellStatus(state: LinkState, failure: ApiFailure | null): void {
    this.changeStatus({ state, refusedWith: failure?.status ?? null });
    this.send({ kind: 'status', status: this.status });
  }

  private changeStatus(status: StreamStatus): void {
    const { state, refusedWith } = this.status;
    this.status = status;
    if (status.state !== state || status.refusedWith !== refusedWith) {
      this.listener.onStatus(status);
    }
  }

  /** A stopped stream may still be notified of its end: its channel is closed by then. */
  private send(message: TabMessage): void {
    if (!this.stopped) {
      this.channel?.postMessage(message);
    }
  }

  private announce(): void {
    const watches = Object.fromEntries(this.watches);
    if (this.hub === null) {
      this.send({ kind: 'watch', tab: this.tab, watches });
    } else {
      this.listener.onAhead(this.hub.watch(this.tab, watches));
    }
  }

  private hear(message: TabMessage): void {
    if (this.stopped) {
      return;
    }
    if (message.kind === 'left') {
      this.listener.onLeft();
    } else if (this.hub === null) {
      this.hearHolder(message);
    } else {
      this.hearTab(this.hub, message);
    }
  }

  private hearHolder(message: TabMessage): void {
    switch (message.kind) {
      case 'message':
        this.unansweredPings = 0;
        this.listener.onMessage(message.message);
        return;
      case 'status':
        this.unansweredPings = 0;
        this.changeStatus(message.status);
        return;
      case 'ahead':
        if (message.tab === this.tab) {
          this.listener.onAhead(message.positions);
        }
        return;
      case 'roll-call':
        this.unansweredPings = 0;
        this.announce();
        return;
      default:
        return;
    }
  }

  private hearTab(hub: StreamHub, message: TabMessage): void {
    switch (message.kind) {
      case 'watch': {
        this.heardAt.set(message.tab, Date.now());
        const positions = hub.watch(message.tab, message.watches);
        this.send({ kind: 'status', status: this.status });
        this.send({ kind: 'ahead', tab: message.tab, positions });
        return;
      }
      case 'bye':
        hub.forget(message.tab);
        return;
      case 'ping':
        hub.lookAtClock();
        this.send({ kind: 'status', status: this.status });
        return;
      case 'retry':
        hub.retry();
        return;
      default:
        return;
    }
  }

  /** Only a visible tab pings: browsers delay the timers of the others. */
  private ping(): void {
    if (this.hub !== null) {
      this.hub.lookAtClock();
    } else if (document.visibilityState === 'visible') {
      if (this.unansweredPings >= lostPings) {
        void this.lead(true);
        return;
      }
      this.unansweredPings += 1;
      this.send({ kind: 'ping' });
    }
  }

  private callRoll(): void {
    if (this.hub === null) {
      return;
    }
    const silentSince = Date.now() - missedRollCalls * rollCallEveryMs;
    for (const tab of this.hub.tabs()) {
      if (tab !== this.tab && (this.heardAt.get(tab) ?? 0) < silentSince) {
        this.hub.forget(tab);
      }
    }
    this.send({ kind: 'roll-call' });
  }

  private readonly onPageHide = () => this.send({ kind: 'bye', tab: this.tab });

  /** A tab that was frozen, or restored from the history, announces itself again. */
  private readonly onVisible = () => {
    if (document.visibilityState === 'visible') {
      this.announce();
      this.hub?.lookAtClock();
    }
  };
}
