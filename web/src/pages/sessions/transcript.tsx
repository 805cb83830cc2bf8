/** All that was said and done in a session, oldest first; it keeps to its end while one reads there. */
import { Button, Center, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { StreamState } from '../../api/event-stream.ts';
import type { Session } from '../../api/types.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { CallEntry } from './call-entry.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { EventEntry } from './event-entry.tsx';
import type { TranscriptEntry } from './transcript-entries.ts';

/** So many entries are drawn at first, the newest; the others on request. */
const shownAtOnce = 300;

export function Transcript({
  session,
  entries,
  state,
  follows,
}: {
  session: Session;
  entries: TranscriptEntry[];
  state: StreamState;
  /** Whether the page goes along with what comes; what had ended before is read from its top. */
  follows: boolean;
}) {
  const [shown, setShown] = useState(shownAtOnce);
  const end = useKeptInSight(entries.length, follows);
  const left = Math.max(0, entries.length - shown);
  return (
    <section aria-label="Transcript">
      <ol className="transcript">
        <EntryFrame voice="person" who="Prompt" at={session.created_at}>
          <VisibleText text={session.prompt} />
        </EntryFrame>
        {left === 0 ? null : (
          <li>
            <Center>
              <Button size="xs" variant="default" onClick={() => setShown(shown + shownAtOnce)}>
                Show {Math.min(left, shownAtOnce)} earlier
              </Button>
            </Center>
          </li>
        )}
        {entries
          .slice(left)
          .map((entry) =>
            entry.kind === 'event' ? (
              <EventEntry key={entry.key} event={entry.event} />
            ) : (
              <CallEntry key={entry.key} call={entry.call} />
            ),
          )}
      </ol>
      <StreamNote state={state} />
      <div ref={end} className="transcript-end" />
    </section>
  );
}

function StreamNote({ state }: { state: StreamState }) {
  return (
    <Text size="xs" c="dimmed" mt="xs" role="status">
      {
        {
          connecting: 'Reading the transcript…',
          live: 'Live: what happens appears here.',
          reconnecting: 'The connection was lost; it is made again by itself. Nothing is lost.',
          ended: 'The session has ended.',
          failed: 'The transcript cannot be read any further.',
        }[state]
      }
    </Text>
  );
}

/** Scrolls to the end when something comes while the end is in sight. */
function useKeptInSight(length: number, follows: boolean) {
  const end = useRef<HTMLDivElement>(null);
  const inSight = useRef(false);
  const before = useRef(0);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (seen) => {
        inSight.current = seen.at(-1)?.isIntersecting ?? false;
      },
      { rootMargin: '0px 0px 120px 0px' },
    );
    if (end.current !== null) {
      observer.observe(end.current);
    }
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    // What was there when the page was opened is read from its beginning.
    const isNews = before.current > 0;
    before.current = length;
    if (follows && isNews && inSight.current) {
      end.current?.scrollIntoView({ block: 'end' });
    }
  }, [length, follows]);
  return end;
}
