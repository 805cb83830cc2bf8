/** One event of a session, in the words of its source. */
import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AgentAvatar, PersonAvatar } from '../../components/avatar.tsx';
import { FoldedText } from '../../components/folded-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { AgentContent } from './agent-content.tsx';
import { EntryFrame, OtherAgent } from './entry-frame.tsx';
import { PermissionContent } from './permission-content.tsx';
import { PlatformContent } from './platform-content.tsx';
import type { EventContent, TranscriptEvent } from './session-event-type.ts';
import { type Speaker, speakerOf } from './speaker.ts';
import { useTranscript } from './transcript-context.ts';
import { TreeContent } from './tree-content.tsx';

export function EventEntry({ event }: { event: TranscriptEvent }) {
  const { content, at } = event;
  const speaker = speakerOf(event, useTranscript().sessionId);
  return (
    <EntryFrame
      voice={speaker.kind}
      entryKey={event.id}
      who={<Who speaker={speaker} />}
      at={at}
      node={<Node speaker={speaker} content={content} />}
      isThin={speaker.kind === 'platform' || content?.type === 'agent.status'}
    >
      {content === null ? <Unknown event={event} /> : contentOf(content)}
    </EntryFrame>
  );
}

/** Who speaks; a dot for what is said by the way, and a mark for what somebody has to decide. */
function Node({ speaker, content }: { speaker: Speaker; content: EventContent | null }) {
  const { agentName, personOf } = useTranscript();
  if (content?.type === 'agent.permission_request') {
    return (
      <span className="entry-mark tone-wait">
        <Icon name="ask" size={14} />
      </span>
    );
  }
  if (speaker.kind === 'platform' || content?.type === 'agent.status') {
    return <i className="entry-dot" />;
  }
  return speaker.kind === 'person' ? (
    <PersonAvatar name={personOf(speaker.userId)} isLarge />
  ) : (
    <AgentAvatar name={speaker.kind === 'agent' ? agentName : speaker.name} />
  );
}

function Who({ speaker }: { speaker: Speaker }) {
  const { agentName, nameOf } = useTranscript();
  switch (speaker.kind) {
    case 'agent':
      return <VisibleText text={agentName} />;
    case 'other-agent':
      return <OtherAgent name={speaker.name} />;
    case 'person':
      return <VisibleText text={nameOf(speaker.userId)} />;
    case 'platform':
      return 'Platform';
  }
}

function contentOf(content: EventContent): ReactNode {
  switch (content.type) {
    case 'agent.permission_request':
    case 'permission.decided':
      return <PermissionContent content={content} />;
    case 'agent.message':
    case 'agent.channel_message':
    case 'agent.status':
    case 'agent.error':
    case 'agent.artifact':
    case 'agent.input_requested':
    case 'agent.shared':
    case 'agent.preview':
      return <AgentContent content={content} />;
    case 'user.message':
      return <FoldedText text={content.payload.text}>{(shown) => <VisibleText text={shown} />}</FoldedText>;
    case 'child.started':
    case 'child.ended':
    case 'session.message':
      return <TreeContent content={content} />;
    case 'session.status_changed':
    case 'session.authorization_required':
    case 'session.server_failed':
    case 'session.answer_refused':
    case 'session.tools_changed':
    case 'platform.notice':
      return <PlatformContent content={content} />;
  }
}

/** An event that this page is too old for: nothing is left out. */
function Unknown({ event }: { event: TranscriptEvent }) {
  return (
    <>
      <Text size="xs" c="dimmed">
        {event.type}
      </Text>
      <Code block>
        <VisibleText text={JSON.stringify(event.payload, null, 2)} />
      </Code>
    </>
  );
}
