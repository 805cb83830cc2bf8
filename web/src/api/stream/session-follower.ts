/**
 * A session's events in one tab, each once and in order. The stream brings what comes; what the tab
 * lacks, because it came later or missed something, it reads as a list. So nothing depends on which tab
 * holds the stream, or since when.
 */
import { pauseAfter, type StreamState, type StreamTiming, usualTiming } from '../event-stream.ts';
import { ApiFailure, isBusy, isTransient } from '../failure.ts';

interface Numbered {
  seq: number;
}

export interface SessionFollowerOptions<Event extends Numbered> {
  /** The next events above `after`, in order, at most `pageSize`. Rejects with an ApiFailure. */
  fetchEvents(after: number): Promise<Event[]>;
  /** The newest ones, in order: what the follower begins with. Without it, it begins with the first. */
  fetchNewest?(): Promise<Event[]>;
  pageSize: number;
  /** Whether nothing comes after this event. */
  isLast(event: Event): boolean;
  onEvents(events: Event[]): void;
  onState(state: StreamState, failure: ApiFailure | null): void;
  /** Asks the stream for what comes after this `seq`. */
  watch(after: number): void;
  unwatch(): void;
  timing?: Pick<StreamTiming, 'firstPauseMs' | 'longestPauseMs' | 'refusedPauseMs'>;
}

export class SessionFollower<Event extends Numbered> {
  private readonly options: SessionFollowerOptions<Event>;
  private position = 0;
  private isOver = false;
  private isStopped = false;
  private reading: Promise<void> | null = null;
  private readAgain = false;
  /** Whether there may be more to read after its position. */
  private goesOn = true;
  private failures = 0;
  private nextAttempt: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SessionFollowerOptions<Event>) {
    this.options = options;
  }

  start(): void {
    this.options.onState('connecting', null);
    this.catchUp();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.nextAttempt);
    this.options.unwatch();
  }

  /** Whether it has all past events, and waits for new ones. */
  get isFollowing(): boolean {
    return !this.isOver && !this.isStopped && this.reading === null;
  }

  /** Takes an event of the stream. Drops a known one; after a gap, reads what is missing. */
  take(event: Event): void {
    if (this.isOver || this.isStopped || event.seq <= this.position) {
      return;
    }
    if (event.seq > this.position + 1) {
      this.catchUp();
    } else {
      this.pass([event]);
    }
  }

  /** Called with the stream's position: reads what is missing when that is ahead. */
  isAt(seq: number): void {
    if (seq > this.position) {
      this.catchUp();
    }
  }

  /** Reads what is missing, until there is no more. */
  catchUp(): void {
    if (this.isOver || this.isStopped) {
      return;
    }
    if (this.reading !== null) {
      this.readAgain = true;
      return;
    }
    clearTimeout(this.nextAttempt);
    this.reading = this.readAll().then(() => {
      this.reading = null;
      if (this.readAgain) {
        this.readAgain = false;
        this.catchUp();
      }
    });
  }

  private async readAll(): Promise<void> {
    try {
      await this.readNewest();
      while (!this.isOver && !this.isStopped && this.goesOn) {
        const events = await this.options.fetchEvents(this.position);
        if (this.isStopped) {
          return;
        }
        this.pass(events.filter(({ seq }) => seq > this.position));
        if (events.length < this.options.pageSize || this.isOver) {
          break;
        }
      }
      this.failures = 0;
      this.goesOn = true;
      if (!this.isOver && !this.isStopped) {
        this.options.watch(this.position);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /** Once: what is before the newest is read by who shows it. */
  private async readNewest(): Promise<void> {
    if (this.position === 0 && this.options.fetchNewest !== undefined) {
      const events = await this.options.fetchNewest();
      if (!this.isStopped) {
        // Nothing comes after the newest but what the stream brings.
        this.goesOn = false;
        this.pass(events);
      }
    }
  }

  private pass(events: Event[]): void {
    const last = events.at(-1);
    if (last === undefined) {
      return;
    }
    this.position = last.seq;
    this.options.onEvents(events);
    if (this.options.isLast(last)) {
      this.isOver = true;
      this.options.unwatch();
      this.options.onState('ended', null);
    }
  }

  /**
   * Refused permanently, or retried when it may be transient. A person who is signed out
   * is asked to sign in first.
   */
  private fail(error: unknown): void {
    const failure = error instanceof ApiFailure ? error : null;
    if (this.isStopped) {
      return;
    }
    if (failure === null || isTransient(failure) || failure.status === 401 || isBusy(failure)) {
      this.options.onState('reconnecting', failure);
      if (failure?.status !== 401) {
        const waitMs = pauseAfter(failure, this.failures, this.options.timing ?? usualTiming);
        this.failures += 1;
        this.nextAttempt = setTimeout(() => this.catchUp(), waitMs);
      }
      return;
    }
    this.isOver = true;
    this.options.unwatch();
    this.options.onState('failed', failure);
  }
}
