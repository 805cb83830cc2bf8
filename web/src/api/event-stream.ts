/**
 * A session's events over server-sent events, each once and in order whatever happens to the connection: it asks again from
 * the last event it has (Last-Event-ID), and drops what it has already. Pure of React, so that it is tested as it runs.
 */
import { ApiFailure, failureOf, isTransient } from './failure.ts';

export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'ended' | 'failed';

/** What a stream carries: `seq` counts up by one within the session. */
interface Numbered {
  seq: number;
}

export interface StreamOptions<Event extends Numbered> {
  url: string;
  /** The last event that is known already; 0 for none. */
  after: number;
  fetch(url: string, init: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>;
  parse(data: string): Event;
  /** Whether nothing comes after this event. */
  isLast(event: Event): boolean;
  /** New events, in order. */
  onEvents(events: Event[]): void;
  onState(state: StreamState, failure: ApiFailure | null): void;
  signal: AbortSignal;
  timing?: StreamTiming;
}

export interface StreamTiming {
  /** The first pause before connecting again; it doubles up to `longestPauseMs` while nothing comes. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** The platform sends at least a comment every 15 s: a connection that is silent for longer is dead. */
  silenceMs: number;
}

const usual: StreamTiming = { firstPauseMs: 250, longestPauseMs: 8_000, silenceMs: 40_000 };

/** Takes a stream of text apart into the data of its events. */
export class EventStreamParser {
  private rest = '';

  /** The data of each event that is whole by now. */
  push(text: string): string[] {
    const frames = (this.rest + text).split('\n\n');
    this.rest = frames.pop() ?? '';
    return frames.flatMap((frame) => {
      const data = frame.split('\n').flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
      return data.length === 0 ? [] : [data.join('\n')];
    });
  }
}

/** The pause before the attempt after `failures` that brought nothing, in ms. `chance` (0 to 1) spreads many pages. */
export function pauseMs(
  failures: number,
  { firstPauseMs, longestPauseMs }: StreamTiming,
  chance: number,
): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.5 + chance / 2);
}

/** Ends when the session's last event came, when the API refuses for good, or when `signal` aborts. Never rejects. */
export async function followEvents<Event extends Numbered>(options: StreamOptions<Event>): Promise<void> {
  const { signal, onState, timing = usual } = options;
  const position: Position = { seq: options.after, isEnd: false };
  let failures = 0;
  onState('connecting', null);
  while (!signal.aborted) {
    const before = position.seq;
    try {
      await readOnce(options, position, timing);
    } catch (error) {
      const failure = error instanceof ApiFailure ? error : null;
      if (!signal.aborted) {
        onState(isFinal(failure) ? 'failed' : 'reconnecting', failure);
      }
      if (isFinal(failure)) {
        return;
      }
    }
    if (position.isEnd && !signal.aborted) {
      return onState('ended', null);
    }
    failures = position.seq > before ? 0 : failures + 1;
    await sleep(pauseMs(failures, timing, Math.random()), signal);
  }
}

/** Refused for good. A sign-in that has ended comes back, and so does the right to ask after too many requests. */
function isFinal(failure: ApiFailure | null): boolean {
  return failure !== null && !isTransient(failure) && failure.status !== 401 && failure.status !== 429;
}

interface Position {
  seq: number;
  isEnd: boolean;
}

/** One connection, to its end. Throws an ApiFailure when it is refused, and whatever the connection broke with. */
async function readOnce<Event extends Numbered>(
  options: StreamOptions<Event>,
  position: Position,
  { silenceMs }: StreamTiming,
): Promise<void> {
  const connection = new AbortController();
  const stop = () => connection.abort();
  options.signal.addEventListener('abort', stop, { once: true });
  let silence = setTimeout(stop, silenceMs);
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(position.seq) };
    const response = await options.fetch(options.url, { headers, signal: connection.signal });
    if (response.status === 204) {
      position.isEnd = true;
      return;
    }
    if (!response.ok || response.body === null) {
      throw failureOf(response, await response.json().catch(() => null));
    }
    if (options.signal.aborted) {
      return;
    }
    options.onState('live', null);
    const parser = new EventStreamParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (options.signal.aborted) {
        // Who follows no longer may follow something else by now.
        return;
      }
      clearTimeout(silence);
      silence = setTimeout(stop, silenceMs);
      take(options, position, parser.push(part.value).map(options.parse));
    }
  } finally {
    clearTimeout(silence);
    options.signal.removeEventListener('abort', stop);
    connection.abort();
  }
}

/** Passes on what is new. An event out of turn means that one was lost: the connection is begun again from the last good one. */
function take<Event extends Numbered>(
  { onEvents, isLast }: StreamOptions<Event>,
  position: Position,
  events: Event[],
): void {
  const fresh: Event[] = [];
  for (const event of events) {
    if (event.seq > position.seq + 1) {
      break;
    }
    if (event.seq === position.seq + 1) {
      fresh.push(event);
      position.seq = event.seq;
      position.isEnd ||= isLast(event);
    }
  }
  if (fresh.length > 0) {
    onEvents(fresh);
  }
  const last = events.at(-1);
  if (last !== undefined && last.seq > position.seq) {
    throw new Error('an event is missing from the stream');
  }
}

async function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    signal.addEventListener('abort', done);
  });
}
