/** What is known of a session's course: its newest events with their calls, and more on demand. */
import { useEffect, useMemo } from 'react';
import type { Session, ToolCall } from '../../api/types.ts';
import type { List } from '../../api/use-list.ts';
import { type SessionEvents, useSessionEvents } from '../../api/use-session-events.ts';
import { readEvent } from './session-event-type.ts';
import { foldSteps, transcriptEntries } from './transcript-entries.ts';
import { useToolCalls } from './use-tool-calls.ts';

export function useTimeline(session: Session) {
  const live = useSessionEvents(session.id);
  const { events: raw, hasOlder } = live;
  const events = useMemo(() => raw.map(readEvent), [raw]);
  const calls = useToolCalls(session);
  useCallsAsFarBack(calls, live);
  useWholeQuestion(session, live);
  const entries = useMemo(
    () => foldSteps(transcriptEntries(events, calls.items ?? [], hasOlder)),
    [events, calls.items, hasOlder],
  );
  return { live, events, calls, entries };
}

/** A message answers the oldest open question, which may be further back than what was read. */
function useWholeQuestion(
  { waiting_for: wait }: Session,
  { hasOlder, isLoadingOlder, olderFailed, loadOlder }: SessionEvents,
) {
  const lacksSome = wait === 'answer' && hasOlder && !isLoadingOlder && !olderFailed;
  useEffect(() => {
    if (lacksSome) {
      loadOlder();
    }
  });
}

/** Calls come as far back as the events that were read do. */
function useCallsAsFarBack(calls: List<ToolCall>, live: SessionEvents): void {
  const { items, error, hasMore, isLoadingMore, loadMore } = calls;
  const [firstEvent, lastCall] = [live.events[0], items?.at(-1)];
  const lacksSome =
    error === null &&
    hasMore &&
    !isLoadingMore &&
    firstEvent !== undefined &&
    lastCall !== undefined &&
    (!live.hasOlder || Date.parse(lastCall.at) > Date.parse(firstEvent.at));
  useEffect(() => {
    if (lacksSome) {
      loadMore();
    }
  });
}
