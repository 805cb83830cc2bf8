/** A session's events on a page. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useWorkspace } from '../app/signed-in.tsx';
import { watchedFetch } from './client.ts';
import { reportSignedOut } from './connection.ts';
import { followEvents, type StreamState } from './event-stream.ts';
import type { ApiFailure } from './failure.ts';
import { keys } from './keys.ts';
import type { SessionEvent } from './types.ts';

export interface SessionEvents {
  /** All events so far, in order, each once. */
  events: readonly SessionEvent[];
  /** `failed` is for good (`failure` says why); `reconnecting` mends itself. */
  state: StreamState;
  failure: ApiFailure | null;
}

const nothing: SessionEvents = { events: [], state: 'connecting', failure: null };
const endStatuses = new Set<unknown>(['completed', 'failed', 'terminated']);

/** Also renews what other parts of the page know of the session and of open requests when an event tells of a change. */
export function useSessionEvents(sessionId: string): SessionEvents {
  const [known, setKnown] = useState(nothing);
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  const isLookedAt = useIsLookedAt();
  const lastSeq = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session begins anew.
  useEffect(() => {
    lastSeq.current = 0;
    setKnown(nothing);
  }, [sessionId]);
  useEffect(() => {
    if (!isLookedAt) {
      return;
    }
    const ended = new AbortController();
    void followEvents<SessionEvent>({
      url: `/api/sessions/${encodeURIComponent(sessionId)}/events`,
      after: lastSeq.current,
      fetch: watchedFetch,
      parse: (data) => JSON.parse(data),
      isLast: ({ type, payload }) => type === 'session.status_changed' && endStatuses.has(payload['to']),
      signal: ended.signal,
      onEvents(events) {
        lastSeq.current = events.at(-1)?.seq ?? lastSeq.current;
        setKnown((before) => ({ ...before, events: [...before.events, ...events] }));
        for (const queryKey of changedBy(events, slug, sessionId)) {
          void queries.invalidateQueries({ queryKey });
        }
      },
      onState(state, failure) {
        if (failure?.status === 401) {
          reportSignedOut();
        }
        setKnown((before) => ({ ...before, state, failure }));
      },
    });
    return () => ended.abort();
  }, [sessionId, slug, queries, isLookedAt]);
  return known;
}

/** A tab that nobody looks at for this long gives its connection back: a browser has about six for one address. */
const hiddenLimitMs = 30_000;

function useIsLookedAt(): boolean {
  const [isLookedAt, setLookedAt] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'hidden') {
        timer = setTimeout(() => setLookedAt(false), hiddenLimitMs);
      } else {
        setLookedAt(true);
      }
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return isLookedAt;
}

/** Events after which a session waits for somebody, or no longer does. */
const changesWaiting = [
  'agent.permission_request',
  'permission.decided',
  'agent.input_requested',
  'user.message',
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
    ...(types.has('session.server_failed') ? [keys.session(sessionId, 'processes')] : []),
    ...(types.has('agent.artifact') ? [keys.session(sessionId, 'artifacts')] : []),
  ];
}
