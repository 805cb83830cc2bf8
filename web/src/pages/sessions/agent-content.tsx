/** An agent's messages and artifacts. All of it is the agent's own claim. */
import { List, Text } from '@mantine/core';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { sizeText } from '../../text/size-text.ts';
import { DeployedPreview } from './deployed-preview.tsx';
import type { EventContent, PayloadOf } from './session-event-type.ts';
import { useTranscript } from './transcript-context.ts';

type Content = Extract<
  EventContent,
  {
    type:
      | 'agent.message'
      | 'agent.channel_message'
      | 'agent.status'
      | 'agent.error'
      | 'agent.artifact'
      | 'agent.input_requested'
      | 'agent.shared'
      | 'agent.preview';
  }
>;

export function AgentContent({ content }: { content: Content }) {
  switch (content.type) {
    case 'agent.message':
      return <Message message={content.payload} />;
    case 'agent.channel_message':
      return <Posted message={content.payload} />;
    case 'agent.status':
      return <Status status={content.payload} />;
    case 'agent.error':
      return <AgentError error={content.payload} />;
    case 'agent.artifact':
      return <ArtifactLine artifact={content.payload} />;
    case 'agent.input_requested':
      return <Asked question={content.payload} />;
    case 'agent.shared':
      return <Shared share={content.payload} />;
    case 'agent.preview':
      return <DeployedPreview preview={content.payload} />;
  }
}

function Message({ message: { text, cut_off: isCutOff } }: { message: PayloadOf<'agent.message'> }) {
  return (
    <>
      <VisibleText text={text} />
      {isCutOff === true ? (
        <Text size="xs" c="dimmed">
          Cut off: the agent did not come to the end of this message.
        </Text>
      ) : null}
    </>
  );
}

/** The channel's name is the platform's fact, the text is the agent's. */
function Posted({ message: { channel, text } }: { message: PayloadOf<'agent.channel_message'> }) {
  return (
    <>
      posted to the channel {channel}:
      <Text size="sm" component="div">
        <VisibleText text={text} />
      </Text>
    </>
  );
}

function Status({ status: { status, detail } }: { status: PayloadOf<'agent.status'> }) {
  return (
    <>
      <Text span inherit fs="italic">
        <VisibleText text={status} />
      </Text>
      {detail === null ? null : (
        <Text size="sm" c="dimmed" component="div">
          <VisibleText text={detail} />
        </Text>
      )}
    </>
  );
}

function AgentError({ error: { message, code, fatal } }: { error: PayloadOf<'agent.error'> }) {
  const { agentName } = useTranscript();
  return (
    <>
      <Banner
        role="note"
        tone="fail"
        title={fatal ? 'The agent reported an error that ends its work' : 'The agent reported an error'}
      />
      <QuotedClaim by={agentName} text={code === null ? message : `${message}\n${code}`} />
    </>
  );
}

function ArtifactLine({ artifact }: { artifact: PayloadOf<'agent.artifact'> }) {
  return (
    <>
      published <VisibleText text={artifact.name} />{' '}
      <Text span size="xs" c="dimmed">
        <VisibleText text={artifact.mime_type} />, {sizeText(artifact.size_bytes)}
      </Text>
      {artifact.description === null ? null : (
        <Text size="sm" c="dimmed" component="div">
          <VisibleText text={artifact.description} />
        </Text>
      )}
    </>
  );
}

function Asked({ question: { prompt, options } }: { question: PayloadOf<'agent.input_requested'> }) {
  return (
    <>
      asks: <VisibleText text={prompt} />
      {options.length === 0 ? null : (
        <List size="sm">
          {[...new Set(options)].map((option) => (
            <List.Item key={option}>
              <VisibleText text={option} />
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}

function Shared({ share: { title, audience, text } }: { share: PayloadOf<'agent.shared'> }) {
  const { slug } = useWorkspace();
  const { sessionId } = useTranscript();
  return (
    <>
      shared “<VisibleText text={title} />” with{' '}
      {audience === 'workspace' ? 'the workspace' : <VisibleText text={audience} />}
      {text === null ? (
        <>
          {' '}
          (<TextLink to={pathOf(slug, 'sessions', sessionId)}>an artifact of this session</TextLink>)
        </>
      ) : (
        <Text size="sm" component="div">
          <VisibleText text={text} />
        </Text>
      )}
    </>
  );
}
