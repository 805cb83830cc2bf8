/**
 * All that was said and done in a session, oldest first; while it runs, it opens at its end and follows it.
 */
import { Button, Text } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { StreamState } from '../../api/event-stream.ts';
import type { Session } from '../../api/types.ts';
import type { SessionEvents } from '../../api/use-session-events.ts';
import { AgentAvatar, PersonAvatar } from '../../components/avatar.tsx';
import { FoldedText } from '../../components/folded-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { MarkdownText } from '../../components/markdown-text.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { CallEntry } from './call-entry.tsx';
import { EntryFrame, OtherAgent } from './entry-frame.tsx';
import { EventEntry } from './event-entry.tsx';
import { StepsEntry } from './steps-entry.tsx';
import { useTranscript } from './transcript-context.ts';
import { type TranscriptEntry, type Wanted, wantedEntries } from './transcript-entries.ts';
import { TranscriptTools } from './transcript-tools.tsx';
import { useShownEntries } from './use-shown-entries.ts';

export function Transcript({
  session,
  entries,
  live,
  follows,
}: {
  session: Session;
  entries: TranscriptEntry[];
  live: SessionEvents;
  /**
   * Whether the page starts at the newest entry and follows new ones; a short session that had ended
   * before is read from its top.
   */
  follows: boolean;
}) {
  const { written, state } = live;
  const [wanted, setWanted] = useState<Wanted>(allEntries);
  const chosen = useMemo(() => wantedEntries(entries, wanted), [entries, wanted]);
  const part = useShownEntries(chosen, live);
  const { transcript, end, isAway } = useKeptInSight(follows && !part.hasLater);
  const toLatest = () => {
    part.toLatest();
    requestAnimationFrame(() => end.current?.scrollIntoView({ block: 'end' }));
  };
  return (
    <section aria-label="Transcript" ref={transcript}>
      <TranscriptTools session={session} wanted={wanted} onWanted={setWanted} />
      <ol className="transcript" ref={part.list}>
        {part.hasEarlier ? (
          <Elsewhere label="Show earlier" onClick={part.earlier} loading={part.isLoading} />
        ) : (
          <Prompt session={session} />
        )}
        {part.shown.map((entry) => (
          <Entry key={entry.key} entry={entry} />
        ))}
        {part.hasLater ? <Elsewhere label="Show later" onClick={part.later} loading={false} /> : null}
        {written === null || part.hasLater ? null : <Written text={written.text} />}
      </ol>
      {chosen.length === 0 && entries.length > 0 ? (
        <Text size="sm" c="dimmed">
          {live.hasOlder ? 'Nothing of what was loaded matches.' : 'Nothing matches.'}
        </Text>
      ) : null}
      {live.olderFailed ? (
        <Text size="sm" role="alert">
          Earlier entries could not be loaded.
        </Text>
      ) : null}
      <StreamNote state={state} isWriting={written !== null} />
      {isAway || part.hasLater ? (
        <Button
          className="to-latest"
          variant="default"
          size="xs"
          leftSection={<Icon name="arrowDown" size={14} />}
          onClick={toLatest}
        >
          Latest
        </Button>
      ) : null}
      <div ref={end} className="transcript-end" />
    </section>
  );
}

const allEntries: Wanted = { view: 'everything', hidesSteps: false, search: '' };

function Elsewhere({ label, onClick, loading }: { label: string; onClick: () => void; loading: boolean }) {
  return (
    <li className="transcript-elsewhere">
      <Button size="xs" variant="default" loading={loading} onClick={onClick}>
        {label}
      </Button>
    </li>
  );
}

function Entry({ entry }: { entry: TranscriptEntry }) {
  switch (entry.kind) {
    case 'event':
      return <EventEntry event={entry.event} />;
    case 'call':
      return <CallEntry calls={entry.calls} />;
    case 'steps':
      return <StepsEntry entryKey={entry.key} at={entry.at} events={entry.events} />;
  }
}

/** What the session was started with: a person's words, or those of the agent that started it. */
function Prompt({ session }: { session: Session }) {
  const { prompt, parent_agent: parent, operator, created_at: at } = session;
  const { nameOf } = useTranscript();
  const text = <FoldedText text={prompt}>{(shown) => <VisibleText text={shown} />}</FoldedText>;
  if (parent !== null) {
    const who = (
      <>
        Prompt by <OtherAgent name={parent.name} />
      </>
    );
    return (
      <EntryFrame voice="other-agent" who={who} at={at} node={<AgentAvatar name={parent.name} />}>
        {text}
      </EntryFrame>
    );
  }
  return operator === null ? (
    <EntryFrame voice="person" who="Prompt" at={at}>
      {text}
    </EntryFrame>
  ) : (
    <EntryFrame
      voice="person"
      who={<VisibleText text={nameOf(operator.id)} />}
      at={at}
      node={<PersonAvatar name={operator.name} isLarge />}
    >
      {text}
    </EntryFrame>
  );
}

/** As the message will be, once it is whole. It is no live region: each piece would be read out. */
function Written({ text }: { text: string }) {
  const { agentName } = useTranscript();
  return (
    <EntryFrame
      voice="agent"
      who={
        <>
          <VisibleText text={agentName} /> (is writing)
        </>
      }
      at={null}
      node={<AgentAvatar name={agentName} />}
    >
      <MarkdownText text={text} />
    </EntryFrame>
  );
}

function StreamNote({ state, isWriting }: { state: StreamState; isWriting: boolean }) {
  return (
    <Text size="xs" c="dimmed" mt="xs" role="status" className={`stream-note stream-${state}`}>
      {
        {
          connecting: 'Loading the transcript…',
          live: isWriting ? 'Live: the agent is writing' : 'Live',
          reconnecting: 'Connection lost. Reconnecting… Nothing is lost.',
          ended: 'The session has ended.',
          failed: 'The rest of the transcript could not be loaded.',
        }[state]
      }
    </Text>
  );
}

/** How far below the window the end may be while the reader still counts as being there. */
const slackPx = 120;

const isInSight = (end: HTMLElement | null) =>
  (end?.getBoundingClientRect().top ?? 0) <= window.innerHeight + slackPx;

/**
 * Begins at the end, and scrolls there whenever the transcript grows, until the reader scrolls up so far that
 * the end is out of sight; goes on once the end is in sight again.
 */
function useKeptInSight(follows: boolean) {
  const transcript = useRef<HTMLElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const hasBegun = useRef(false);
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const look = () => setAway((end.current?.getBoundingClientRect().top ?? 0) > 2 * window.innerHeight);
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (!follows || transcript.current === null) {
      return;
    }
    // Later on only a reader who is at the end is taken along.
    let following = !hasBegun.current || isInSight(end.current);
    hasBegun.current = true;
    let lastY = window.scrollY;
    // The browser reports scrolling before growth; an intersection observer reports only after it.
    const onScroll = () => {
      const wentUp = window.scrollY < lastY;
      lastY = window.scrollY;
      following = isInSight(end.current) || (following && !wentUp);
    };
    // Entries also grow when they are first drawn, which is once they are near the window.
    const growth = new ResizeObserver(() => {
      if (following) {
        end.current?.scrollIntoView({ block: 'end' });
      }
    });
    window.addEventListener('scroll', onScroll, { passive: true });
    growth.observe(transcript.current);
    return () => {
      window.removeEventListener('scroll', onScroll);
      growth.disconnect();
    };
  }, [follows]);
  return { transcript, end, isAway };
}
