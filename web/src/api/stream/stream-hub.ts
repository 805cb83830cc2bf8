/**
 * What the one tab that holds the stream does for all tabs of the browser: it watches the sessions that
 * any of them shows. To watch one more it opens the next stream before it closes the last, so that
 * nothing is missed in between.
 */
import type { StreamMessage } from '../../../../contract/browser-stream.ts';
import { type LinkState, StreamFollower, type StreamOptions, type StreamTiming } from '../event-stream.ts';
import type { ApiFailure } from '../failure.ts';

/** Session ids with the `seq` of the last event that is known. */
export type Watches = Readonly<Record<string, number>>;

type WrittenMessage = Extract<StreamMessage, { type: 'session.text' }>;

export interface HubOptions {
  fetch: StreamOptions<StreamMessage>['fetch'];
  onMessage(message: StreamMessage): void;
  onState(state: LinkState, failure: ApiFailure | null): void;
  /** The API refuses to watch more at once. */
  maxSessions: number;
  /** Tabs that open together cost one connection, not one each. */
  gatherMs: number;
  timing?: StreamTiming;
}

export class StreamHub {
  private readonly options: HubOptions;
  /** By tab, in the order of their last request. */
  private readonly byTab = new Map<string, Watches>();
  private readonly positions = new Map<string, number>();
  /** The last text of a message that is still written, by session: for tabs that come later. */
  private readonly texts = new Map<string, WrittenMessage>();
  /** What the newest connection watches. */
  private watched = new Set<string>();
  private current: StreamFollower<StreamMessage> | null = null;
  private previous: StreamFollower<StreamMessage> | null = null;
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(options: HubOptions) {
    this.options = options;
  }

  /** Connects once the tabs had time to say what they show. */
  start(): void {
    this.reconnectSoon();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.gathering);
    this.previous?.stop();
    this.current?.stop();
  }

  retry(): void {
    this.current?.retry();
  }

  lookAtClock(): void {
    this.current?.lookAtClock();
  }

  /** What this tab shows from now on. Returns the positions of those sessions that are ahead of the tab. */
  watch(tab: string, watches: Watches): Watches {
    const known = this.byTab.get(tab);
    this.byTab.delete(tab);
    this.byTab.set(tab, watches);
    for (const id of Object.keys(watches)) {
      const text = this.texts.get(id);
      if (text !== undefined && known?.[id] === undefined) {
        this.options.onMessage(text);
      }
    }
    const ahead: Record<string, number> = {};
    for (const [id, after] of Object.entries(watches)) {
      const position = this.watched.has(id) ? (this.positions.get(id) ?? after) : this.lowest(id);
      this.positions.set(id, position);
      if (position > after) {
        ahead[id] = position;
      }
    }
    if (this.wanted().some((id) => !this.watched.has(id))) {
      this.reconnectSoon();
    }
    return ahead;
  }

  forget(tab: string): void {
    this.byTab.delete(tab);
  }

  tabs(): string[] {
    return [...this.byTab.keys()];
  }

  /** The position that every tab showing the session has reached. */
  private lowest(id: string): number {
    return Math.min(...[...this.byTab.values()].flatMap((watches) => watches[id] ?? []));
  }

  /** Sessions of the tabs that asked last, as many as fit. */
  private wanted(): string[] {
    const ids = [...this.byTab.values()].reverse().flatMap((watches) => Object.keys(watches));
    return [...new Set(ids)].slice(0, this.options.maxSessions);
  }

  private reconnectSoon(): void {
    if (!this.stopped && this.gathering === undefined) {
      this.gathering = setTimeout(() => {
        this.gathering = undefined;
        this.connect();
      }, this.options.gatherMs);
    }
  }

  private connect(): void {
    this.previous?.stop();
    this.previous = this.current;
    this.previous?.retire();
    const follower = new StreamFollower<StreamMessage>({
      fetch: this.options.fetch,
      parse: (data): StreamMessage => JSON.parse(data),
      url: () => this.url(),
      onMessage: (message) => this.take(message),
      onState: (state, failure) => this.onState(follower, state, failure),
      ...(this.options.timing === undefined ? {} : { timing: this.options.timing }),
    });
    this.current = follower;
    void follower.run();
  }

  private onState(from: StreamFollower<StreamMessage>, state: LinkState, failure: ApiFailure | null): void {
    if (from !== this.current) {
      return;
    }
    if (state === 'live') {
      this.previous?.stop();
      this.previous = null;
    }
    if (state !== 'connecting' || this.previous === null) {
      this.options.onState(state, failure);
    }
  }

  private url(): string {
    const wanted = this.wanted();
    this.watched = new Set(wanted);
    for (const id of this.texts.keys()) {
      if (!this.watched.has(id)) {
        this.texts.delete(id);
      }
    }
    const sessions = wanted.map((id) => `${id}:${this.positions.get(id) ?? 0}`).join(',');
    return `/api/me/stream${sessions === '' ? '' : `?sessions=${sessions}`}`;
  }

  private take(message: StreamMessage): void {
    if (message.type === 'session.text') {
      this.texts.set(message.session_id, message);
    } else if (message.type === 'session.event') {
      const { session_id: id, seq } = message.event;
      if (this.texts.get(id)?.message_id === message.event.id) {
        this.texts.delete(id);
      }
      if (seq <= (this.positions.get(id) ?? 0)) {
        return;
      }
      this.positions.set(id, seq);
    } else if (message.type === 'session.closed') {
      this.watched.delete(message.session_id);
      this.texts.delete(message.session_id);
      for (const [tab, { [message.session_id]: _, ...others }] of this.byTab) {
        this.byTab.set(tab, others);
      }
    }
    this.options.onMessage(message);
  }
}
