/** What a transcript says of the sessions above and below its own. */
import { Text } from '@mantine/core';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { SessionLabel } from '../../components/session-chain.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import type { EventContent, PayloadOf } from './session-event-type.ts';
import { SessionStatus } from './session-status.tsx';
import { stateOf } from './status-text.ts';
import { useTranscript } from './transcript-context.ts';

type Content = Extract<EventContent, { type: 'child.started' | 'child.ended' | 'session.message' }>;

export function TreeContent({ content }: { content: Content }) {
  switch (content.type) {
    case 'child.started':
      return <Started child={content.payload} />;
    case 'child.ended':
      return <Ended child={content.payload} />;
    case 'session.message':
      return <Message message={content.payload} />;
  }
}

/** One row with how that session is now; what it is called are an agent's words. */
function Started({ child: { session_id: id, label } }: { child: PayloadOf<'child.started'> }) {
  const known = useTranscript().sessionOf(id);
  return (
    <div className="file-row">
      <span className="cut">
        started a session of <SessionLink id={id} />
        <SessionLabel label={label ?? known?.title ?? null} />
      </span>
      {known === undefined ? null : (
        <span className="file-row-facts">
          <SessionStatus status={stateOf(known)} />
        </span>
      )}
    </div>
  );
}

function Ended({ child: { session_id: id, status, reason } }: { child: PayloadOf<'child.ended'> }) {
  const { sessionOf } = useTranscript();
  return (
    <>
      The session of <SessionLink id={id} />
      <SessionLabel label={sessionOf(id)?.label ?? null} /> has ended: <SessionStatus status={status} />{' '}
      {reason === null ? null : <VisibleText text={reason} />}
    </>
  );
}

/** An agent's words to another agent: said to be that in the platform's own words, above them. */
function Message({ message }: { message: PayloadOf<'session.message'> }) {
  const { sessionOf } = useTranscript();
  const { direction, relation, session_id: id, agent, text } = message;
  return (
    <>
      <Text size="xs" c="dimmed" component="div">
        {direction === 'sent' ? 'Message to the agent' : 'Message of the agent'}{' '}
        <SessionLink id={id} name={agent.name} />
        <SessionLabel label={sessionOf(id)?.label ?? null} />
        {relation === 'parent' ? ', whose session started this one:' : ', whose session this one started:'}
      </Text>
      <VisibleText text={text} />
    </>
  );
}

/** By its agent's name where the page knows it. */
function SessionLink({ id, name }: { id: string; name?: string }) {
  const { slug } = useWorkspace();
  const { sessionOf } = useTranscript();
  const known = name ?? sessionOf(id)?.agent.name;
  return (
    <TextLink to={pathOf(slug, 'sessions', id)}>
      {known === undefined ? `session ${id.slice(0, 8)}` : <VisibleText text={known} />}
    </TextLink>
  );
}
