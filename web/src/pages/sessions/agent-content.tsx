/** An agent's messages and artifacts. All of it is the agent's own claim. */
import { List, Text } from '@mantine/core';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { FoldedText } from '../../components/folded-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { MarkdownText } from '../../components/markdown-text.tsx';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { sizeText } from '../../text/size-text.ts';
import { artifactPath } from './artifact-path.ts';
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
      <FoldedText text={text}>{(shown) => <MarkdownText text={shown} />}</FoldedText>
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
      <em className="step">
        <VisibleText text={status} />
      </em>
      {detail === null ? null : (
        <FoldedText text={detail}>
          {(shown) => (
            <Text size="sm" c="dimmed" component="div">
              <VisibleText text={shown} />
            </Text>
          )}
        </FoldedText>
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
  const { sessionId } = useTranscript();
  return (
    <>
      <div className="file-row">
        <Icon name="download" size={14} />
        <span className="cut">
          published{' '}
          <a href={artifactPath(sessionId, artifact.artifact_id)} download>
            <VisibleText text={artifact.name} />
          </a>
        </span>
        <span className="file-row-facts">
          <VisibleText text={artifact.mime_type} />, {sizeText(artifact.size_bytes)}
        </span>
      </div>
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
