/** One event of a session, in the words of its source. */
import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
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
    <EntryFrame voice={speaker.kind} who={<Who speaker={speaker} />} at={at}>
      {content === null ? <Unknown event={event} /> : contentOf(content)}
    </EntryFrame>
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
      return <VisibleText text={content.payload.text} />;
    case 'child.started':
    case 'child.ended':
    case 'session.message':
      return <TreeContent content={content} />;
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
