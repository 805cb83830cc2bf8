/** One event of a session, in the words of its source. */
import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { VisibleText } from '../../components/visible-text.tsx';
import { AgentContent } from './agent-content.tsx';
import { EntryFrame, type Voice } from './entry-frame.tsx';
import { PermissionContent } from './permission-content.tsx';
import { PlatformContent } from './platform-content.tsx';
import type { EventContent, TranscriptEvent } from './session-event-type.ts';
import { useTranscript } from './transcript-context.ts';

export function EventEntry({ event }: { event: TranscriptEvent }) {
  const { content, actor, at } = event;
  return (
    <EntryFrame voice={voiceOf(event)} who={<Who actor={actor} />} at={at}>
      {content === null ? <Unknown event={event} /> : contentOf(content)}
    </EntryFrame>
  );
}

function voiceOf({ actor: { type } }: TranscriptEvent): Voice {
  return type === 'agent' ? 'agent' : type === 'user' ? 'person' : 'platform';
}

function Who({ actor: { type, id } }: { actor: TranscriptEvent['actor'] }) {
  const { agentName, nameOf } = useTranscript();
  if (type === 'agent') {
    return <VisibleText text={agentName} />;
  }
  return type === 'system' || id === null ? 'Platform' : <VisibleText text={nameOf(id)} />;
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
      return <VisibleText text={content.payload.text} />;
    default:
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
