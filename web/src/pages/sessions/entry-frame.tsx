/** One entry of the transcript: who, when, what. */
import type { ReactNode } from 'react';
import { VisibleText } from '../../components/visible-text.tsx';
import { absoluteTime, clockTime } from '../../text/time-text.ts';

export type Voice = 'agent' | 'other-agent' | 'person' | 'platform' | 'call';

export function EntryFrame({
  voice,
  who,
  at,
  node,
  isThin = false,
  entryKey,
  children,
}: {
  voice: Voice;
  who: ReactNode;
  /** Null for what still happens. */
  at: string | null;
  /** What stands at the side; a dot where nothing does. */
  node?: ReactNode;
  /** One quiet line: what was said or noted by the way. */
  isThin?: boolean;
  /** Of the entry among those that come and go on a long transcript. */
  entryKey?: string;
  children: ReactNode;
}) {
  return (
    <li className={`entry entry-${voice}${isThin ? ' entry-thin' : ''}`} data-key={entryKey}>
      <span className="entry-node" aria-hidden="true">
        {node ?? <i className="entry-dot" />}
      </span>
      <div className="entry-body">
        <div className="entry-who">{who}</div>
        <div className="entry-text">{children}</div>
      </div>
      {at === null ? null : (
        <time dateTime={at} title={absoluteTime(at)}>
          {clockTime(at)}
        </time>
      )}
    </li>
  );
}

/**
 * Who speaks, of the agent of another session: never to be taken for a person, nor for the agent of this one.
 */
export function OtherAgent({ name }: { name: string }) {
  return (
    <>
      <VisibleText text={name} /> (agent of another session)
    </>
  );
}
