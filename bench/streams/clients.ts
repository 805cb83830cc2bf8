/** Clients of event streams: each a connection of its own that notes when what it waits for arrives. */
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { WatchedSession } from './platform.ts';

/** Longer than a heartbeat of a stream takes. */
const arrivalLimitMs = 20_000;

export class Clients {
  readonly #url: string;
  readonly #requests: ClientRequest[] = [];
  /** Called with the text of each frame, by session id. */
  readonly #listeners = new Map<string, (frame: string) => void>();
  readonly #countBySession = new Map<string, number>();
  /** Streams that ended by themselves. */
  ended = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Opens streams until there are that many, spread evenly over sessions, people and routes.
   * Rejects when one is refused.
   */
  async open(count: number, sessions: readonly WatchedSession[]): Promise<void> {
    const atOnce = 20;
    while (this.#requests.length < count) {
      const from = this.#requests.length;
      const more = Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => from + at);
      await Promise.all(more.map((index) => this.#openOne(index, sessions)));
    }
  }

  #openOne(index: number, sessions: readonly WatchedSession[]): Promise<void> {
    const session = sessions[index % sessions.length];
    if (session === undefined) {
      throw new Error('there is no session to look at');
    }
    const { id, cookies } = session;
    const round = Math.floor(index / sessions.length);
    const cookie = cookies[round % cookies.length] ?? '';
    const path = round % 2 === 0 ? `/api/sessions/${id}/events` : `/api/me/stream?sessions=${id}:0`;
    this.#countBySession.set(id, (this.#countBySession.get(id) ?? 0) + 1);
    const headers = { cookie, accept: 'text/event-stream' };
    return new Promise((resolve, reject) => {
      const request = get(this.#url + path, { headers, agent: false }, (response) => {
        if (response.statusCode !== 200) {
          reject(new Error(`${path} answered ${response.statusCode}`));
        }
        response.once('data', () => resolve());
        response.on('close', () => {
          // Not when it was closed from here.
          this.ended += this.#requests.includes(request) ? 1 : 0;
        });
        this.#read(id, response);
      });
      request.on('error', reject);
      this.#requests.push(request);
    });
  }

  #read(sessionId: string, response: IncomingMessage): void {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        this.#listeners.get(sessionId)?.(frame);
      }
    });
  }

  /** Resolves with the time of the last arrival when every client of the session has been sent `text`. */
  arrival(sessionId: string, text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      let missing = this.#countBySession.get(sessionId) ?? 0;
      const timer = setTimeout(
        () => reject(new Error(`${missing} clients were not sent an event`)),
        arrivalLimitMs,
      );
      this.#listeners.set(sessionId, (frame) => {
        missing -= frame.includes(text) ? 1 : 0;
        if (missing === 0) {
          clearTimeout(timer);
          this.#listeners.delete(sessionId);
          resolve(performance.now());
        }
      });
    });
  }

  close(): void {
    for (const request of this.#requests.splice(0)) {
      request.destroy();
    }
    this.#countBySession.clear();
  }
}
