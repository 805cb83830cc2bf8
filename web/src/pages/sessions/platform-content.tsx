/** What the platform itself says in a transcript. */
import { Anchor, Text } from '@mantine/core';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { failureText } from './process-text.ts';
import type { EventContent, PayloadOf } from './session-event-type.ts';
import { SessionStatus } from './session-status.tsx';
import { ToolsChangedContent } from './tools-changed-content.tsx';

type Content = Extract<
  EventContent,
  {
    type:
      | 'session.status_changed'
      | 'session.authorization_required'
      | 'session.server_failed'
      | 'session.tools_changed'
      | 'child.started'
      | 'child.ended'
      | 'platform.notice';
  }
>;

export function PlatformContent({ content }: { content: Content | EventContent }) {
  switch (content.type) {
    case 'session.status_changed':
      return <StatusChange change={content.payload} />;
    case 'session.authorization_required':
      return <SignInNeeded needed={content.payload} />;
    case 'session.server_failed':
      return <VisibleText text={failureText(content.payload.server, content.payload.cause)} />;
    case 'session.tools_changed':
      return <ToolsChangedContent change={content.payload} />;
    case 'child.started':
      return (
        <>
          started <ChildLink id={content.payload.session_id} />{' '}
          {content.payload.label === null ? null : <VisibleText text={content.payload.label} />}
        </>
      );
    case 'child.ended':
      return (
        <>
          <ChildLink id={content.payload.session_id} /> ended{' '}
          <SessionStatus status={content.payload.status} />{' '}
          {content.payload.reason === null ? null : <VisibleText text={content.payload.reason} />}
        </>
      );
    case 'platform.notice':
      return <VisibleText text={content.payload.message} />;
    default:
      return null;
  }
}

function StatusChange({ change: { to, reason } }: { change: PayloadOf<'session.status_changed'> }) {
  return (
    <>
      <SessionStatus status={to} />{' '}
      {reason === null ? null : (
        <Text span inherit>
          <VisibleText text={reason} />
        </Text>
      )}
    </>
  );
}

/** The address comes from the remote server: its host is shown, and nothing but https (or this machine) becomes a link. */
function SignInNeeded({ needed: { server, url } }: { needed: PayloadOf<'session.authorization_required'> }) {
  const address = URL.canParse(url) ? new URL(url) : null;
  const isLocal = address?.protocol === 'http:' && address.hostname === '127.0.0.1';
  const isLink = address !== null && (address.protocol === 'https:' || isLocal);
  return (
    <>
      <VisibleText text={server} /> needs you to sign in:{' '}
      {isLink ? (
        <Anchor href={address.href} target="_blank" rel="noopener noreferrer" underline="always">
          {address.host}
        </Anchor>
      ) : (
        <VisibleText text={url} />
      )}
    </>
  );
}

function ChildLink({ id }: { id: string }) {
  const { slug } = useWorkspace();
  return <TextLink to={pathOf(slug, 'sessions', id)}>session {id.slice(0, 8)}</TextLink>;
}
