import { useState } from 'react';
import { ShowMore } from '../../components/show-more.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { EventEntry } from './event-entry.tsx';
import type { TranscriptEvent } from './session-event-type.ts';
import { useTranscript } from './transcript-context.ts';

/** What an agent noted of its progress, in one line that unfolds. */
export function StepsEntry({
  entryKey,
  at,
  events,
}: {
  entryKey: string;
  at: string;
  events: readonly TranscriptEvent[];
}) {
  const { agentName } = useTranscript();
  const [isOpen, setOpen] = useState(false);
  const last = events.at(-1)?.content;
  return (
    <>
      <EntryFrame voice="agent" entryKey={entryKey} who={<VisibleText text={agentName} />} at={at} isThin>
        <button type="button" className="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {events.length} steps
        </button>{' '}
        {isOpen || last?.type !== 'agent.status' ? null : (
          <em className="step">
            <VisibleText text={last.payload.status} />
          </em>
        )}
      </EntryFrame>
      {isOpen ? (
        <ShowMore items={events}>
          {(shown) => shown.map((event) => <EventEntry key={event.id} event={event} />)}
        </ShowMore>
      ) : null}
    </>
  );
}
