/** A session's events on a page. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { maxStoredInteger } from '../../../contract/names.ts';
import { useWorkspace } from '../app/signed-in.tsx';
import { api, call } from './client.ts';
import { reportSignedOut } from './connection.ts';
import type { StreamState } from './event-stream.ts';
import type { ApiFailure } from './failure.ts';
import { keys } from './keys.ts';
import { serverNowMs } from './server-time.ts';
import { stale } from './stale.ts';
import { SessionFollower } from './stream/session-follower.ts';
import { useLive } from './stream/use-live.ts';
import type { SessionEvent } from './types.ts';

/** What the agent has written of a message that it still writes, as far as it is. */
export interface WrittenText {
  messageId: string;
  text: string;
}

export interface SessionEvents {
  /** The newest, and what was read before them, in order, each once. */
  events: readonly SessionEvent[];
  /** `failed` is permanent (`failure` says why); `reconnecting` recovers by itself. */
  state: StreamState;
  failure: ApiFailure | null;
  written: WrittenText | null;
  /** Whether there are earlier ones, and the way to read some of them. */
  hasOlder: boolean;
  isLoadingOlder: boolean;
  /** Reading them failed; whoever asks again tries again. */
  olderFailed: boolean;
  loadOlder(): void;
}

type Known = Pick<SessionEvents, 'events' | 'state' | 'failure' | 'written'>;

const nothing: Known = { events: [], state: 'connecting', failure: null, written: null };
const endStatuses = new Set<unknown>(['completed', 'failed', 'terminated']);
const pageSize = 200;

/**
 * What a page shows was read at most so long before it opened (`staleTime`), by a clock that may be slightly
 * wrong: an older event is no news to it.
 */
const oldestReadMs = 10_000;

/** Also refreshes other parts' data of the session and of open requests when an event reports a change. */
export function useSessionEvents(sessionId: string): SessionEvents {
  const [known, setKnown] = useState(nothing);
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  const live = useLive();
  useEffect(() => {
    if (live === null) {
      return;
    }
    setKnown(nothing);
    const readSinceMs = serverNowMs() - oldestReadMs;
    const show = (state: StreamState, failure: ApiFailure | null = null) =>
      setKnown((before) => ({ ...before, state, failure }));
    const follower = new SessionFollower<SessionEvent>({
      fetchEvents: (after) => fetchEvents(sessionId, { after }),
      fetchNewest: () => fetchEvents(sessionId, { before: maxStoredInteger }),
      pageSize,
      isLast: ({ type, payload }) => type === 'session.status_changed' && endStatuses.has(payload['to']),
      watch(after) {
        live.watch(sessionId, after);
        show(live.state);
      },
      unwatch: () => live.unwatch(sessionId),
      onState(state, failure) {
        if (failure?.status === 401) {
          reportSignedOut();
        }
        show(state, failure);
      },
      onEvents(events) {
        live.reached(sessionId, events.at(-1)?.seq ?? 0);
        setKnown((before) => withEvents(before, events));
        const news = events.filter(({ at }) => Date.parse(at) >= readSinceMs);
        for (const queryKey of changedBy(news, slug, sessionId)) {
          void queries.invalidateQueries({ queryKey });
        }
      },
    });
    const stopFollowing = live.follow(sessionId, follower);
    const stopTexts = live.onText(sessionId, (written) =>
      setKnown((before) =>
        before.state === 'ended' || before.events.some(({ id }) => id === written.messageId)
          ? before
          : { ...before, written },
      ),
    );
    const stopState = live.onState((state) => follower.isFollowing && show(state));
    follower.start();
    return () => {
      stopTexts();
      stopState();
      stopFollowing();
      follower.stop();
    };
  }, [sessionId, slug, queries, live]);
  const older = useOlder(sessionId, known.events[0]?.seq ?? 1, (events, first) =>
    setKnown((before) =>
      before.events[0]?.seq === first ? { ...before, events: [...events, ...before.events] } : before,
    ),
  );
  return { ...known, ...older };
}

/** The way to events before the first one that is known, which has this `seq`. */
function useOlder(
  sessionId: string,
  first: number,
  onEvents: (events: readonly SessionEvent[], first: number) => void,
): Pick<SessionEvents, 'hasOlder' | 'isLoadingOlder' | 'olderFailed' | 'loadOlder'> {
  const [state, setState] = useState<'idle' | 'loading' | 'failed' | 'none'>('idle');
  const load = async () => {
    setState('loading');
    try {
      const events = await fetchEvents(sessionId, { before: first });
      onEvents(events, first);
      setState(events.length === 0 ? 'none' : 'idle');
    } catch {
      setState('failed');
    }
  };
  const hasOlder = first > 1 && state !== 'none';
  return {
    hasOlder,
    isLoadingOlder: state === 'loading',
    olderFailed: state === 'failed',
    loadOlder() {
      if (hasOlder && state !== 'loading') {
        void load();
      }
    },
  };
}

/** A message that came whole is written no more, and nothing is once the session has ended. */
function withEvents(before: Known, events: readonly SessionEvent[]): Known {
  const isOver = events.some(
    ({ id, type, payload }) =>
      id === before.written?.messageId ||
      (type === 'session.status_changed' && endStatuses.has(payload['to'])),
  );
  const written = isOver ? null : before.written;
  return { ...before, events: [...before.events, ...events], written };
}

async function fetchEvents(
  sessionId: string,
  position: { after: number } | { before: number },
): Promise<SessionEvent[]> {
  const params = { path: { session_id: sessionId }, query: { ...position, limit: pageSize } };
  return (await call(api.GET('/api/sessions/{session_id}/events', { params }))).events;
}

/** Events after which a session waits for a person, or no longer does. */
const changesWaiting = [
  'agent.permission_request',
  'permission.decided',
  'agent.input_requested',
  'user.message',
  'session.authorization_required',
  'platform.notice',
] as const;

function changedBy(events: readonly SessionEvent[], slug: string, sessionId: string) {
  const types = new Set(events.map(({ type }) => type));
  return [
    ...(types.has('agent.permission_request') || types.has('permission.decided')
      ? [keys.permissionRequests(slug)]
      : []),
    ...(types.has('session.status_changed') || types.has('child.started') || types.has('child.ended')
      ? [keys.session(sessionId), keys.sessions(slug)]
      : []),
    ...(changesWaiting.some((type) => types.has(type)) ? [keys.session(sessionId, 'one')] : []),
    ...(types.has('session.authorization_required') || types.has('platform.notice')
      ? [keys.session(sessionId, 'authorizations')]
      : []),
    ...(types.has('session.tools_changed') ? stale.toolDefinitions(slug) : []),
    ...(types.has('session.server_failed') || types.has('session.answer_refused')
      ? [keys.session(sessionId, 'processes')]
      : []),
    ...(types.has('agent.preview') ? [keys.previews(slug)] : []),
    ...(types.has('agent.artifact') ? [keys.session(sessionId, 'artifacts')] : []),
  ];
}
