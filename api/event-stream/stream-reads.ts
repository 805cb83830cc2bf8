/**
 * What open event streams read, in one statement for all of a process that ask at the same time
 * (docs/decisions/0038-streams-read-together.md).
 */
import type { SessionEvent } from '../../contract/session-event.ts';
import type { Db } from '../../store/database.ts';
import { type LiveText, readLiveTexts } from '../../store/live-texts/live-texts.ts';
import { type EventPosition, listEventsAfter } from '../../store/session-events/list.ts';
import { readWatchedSessions, type WatchedSession } from '../../store/sessions/list.ts';
import { type Roles, readRolesOfSignIns, type SignIn } from '../../store/sign-ins/sign-ins.ts';
import { shareReads } from './share-reads.ts';

/** Facts only: who may read what is decided for each viewer, from the viewer's own roles. */
export interface StreamReads {
  /** The user's roles; null when the sign-in is over. */
  roles(signIn: SignIn): Promise<Roles | null>;
  /** Those of the sessions that exist, by id. */
  sessions(ids: readonly string[]): Promise<ReadonlyMap<string, WatchedSession>>;
  /** The next events after a position, in order; viewers at the same position get the same array. */
  events(position: EventPosition): Promise<readonly SessionEvent[]>;
  /** What the session's agent has written of a message that is no event yet; null when there is none. */
  liveText(sessionId: string): Promise<LiveText | null>;
}

/** Of one page: a stream holds no more than one. */
const mostEvents = 100;

/** One for each process: streams share statements only when they share this. */
export function createStreamReads(db: Db): StreamReads {
  const roles = shareReads<SignIn, Roles | null>({
    identify: ({ userId, signInId }) => `${userId} ${signInId}`,
    mostKeys: 500,
    read: (signIns) => readRolesOfSignIns(db, signIns),
  });
  const sessions = shareReads<string, WatchedSession | null>({
    identify: (id) => id,
    mostKeys: 500,
    async read(ids) {
      const found = await readWatchedSessions(db, ids);
      return ids.map((id) => found.get(id) ?? null);
    },
  });
  const events = shareReads<EventPosition, readonly SessionEvent[]>({
    identify: ({ sessionId, after }) => `${sessionId} ${after}`,
    mostKeys: 50,
    read: (positions) => listEventsAfter(db, positions, mostEvents),
  });
  const liveTexts = shareReads<string, LiveText | null>({
    identify: (id) => id,
    mostKeys: 50,
    async read(ids) {
      const found = await readLiveTexts(db, ids);
      return ids.map((id) => found.get(id) ?? null);
    },
  });
  return {
    async roles(signIn) {
      const [found = null] = await roles([signIn]);
      return found;
    },
    async sessions(ids) {
      const rows = await sessions(ids);
      return new Map(rows.flatMap((row) => (row === null ? [] : [[row.id, row]])));
    },
    async events(position) {
      const [page = []] = await events([position]);
      return page;
    },
    async liveText(sessionId) {
      const [found = null] = await liveTexts([sessionId]);
      return found;
    },
  };
}
