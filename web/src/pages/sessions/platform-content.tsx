/** What the platform itself says in a transcript. */
import { Text } from '@mantine/core';
import { authorizationAt } from '../../app/paths.ts';
import { useMe } from '../../app/signed-in.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { answerRefusedText, failureText } from './process-text.ts';
import type { EventContent, PayloadOf } from './session-event-type.ts';
import { SessionStatus } from './session-status.tsx';
import { ToolsChangedContent } from './tools-changed-content.tsx';
import { useTranscript } from './transcript-context.ts';

type Content = Extract<
  EventContent,
  {
    type:
      | 'session.status_changed'
      | 'session.authorization_required'
      | 'session.server_failed'
      | 'session.answer_refused'
      | 'session.tools_changed'
      | 'platform.notice';
  }
>;

export function PlatformContent({ content }: { content: Content }) {
  switch (content.type) {
    case 'session.status_changed':
      return <StatusChange change={content.payload} />;
    case 'session.authorization_required':
      return <SignInNeeded needed={content.payload} />;
    case 'session.server_failed':
      return <VisibleText text={failureText(content.payload.server, content.payload.cause)} />;
    case 'session.answer_refused':
      return <VisibleText text={answerRefusedText(content.payload.server, content.payload.reason)} />;
    case 'session.tools_changed':
      return <ToolsChangedContent change={content.payload} />;
    case 'platform.notice':
      return <VisibleText text={content.payload.message} />;
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

/** Leads the operator to where they sign in, and nobody else: others cannot open that page. */
function SignInNeeded({ needed: { server, url } }: { needed: PayloadOf<'session.authorization_required'> }) {
  const { operatorId, nameOf } = useTranscript();
  const isOperator = useMe().user.id === operatorId;
  const page = authorizationAt(url);
  return (
    <>
      <VisibleText text={server} /> needs{' '}
      {isOperator ? 'you' : operatorId === null ? 'somebody' : <VisibleText text={nameOf(operatorId)} />} to
      sign in
      {isOperator && page !== null ? (
        <>
          : <TextLink to={page}>sign in</TextLink>
        </>
      ) : null}
    </>
  );
}
