/** Permission requests and their outcomes. */
import { Button, Group, Text } from '@mantine/core';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Status } from '../../components/pill.tsx';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { SessionLabel } from '../../components/session-chain.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { choiceLabel, type GrantScope } from '../approvals/choices.ts';
import { statusLabel, statusTone } from '../approvals/request-text.ts';
import type { EventContent, PayloadOf } from './session-event-type.ts';
import { useTranscript } from './transcript-context.ts';

type Content = Extract<EventContent, { type: 'agent.permission_request' | 'permission.decided' }>;

export function PermissionContent({ content }: { content: Content }) {
  return content.type === 'agent.permission_request' ? (
    <Asked request={content.payload} />
  ) : (
    <Decided decision={content.payload} />
  );
}

function Asked({ request }: { request: PayloadOf<'agent.permission_request'> }) {
  const { slug } = useWorkspace();
  const { sessionId, sessionOf, openRequest } = useTranscript();
  return (
    <div className="ask-card">
      <Group gap="xs" mb={4}>
        <span>
          asks for permission
          {request.session_id === sessionId ? null : (
            <>
              {' in '}
              <TextLink to={pathOf(slug, 'sessions', request.session_id)}>a session below this one</TextLink>
              <SessionLabel label={sessionOf(request.session_id)?.label ?? null} />
            </>
          )}
          :
        </span>
        <Subject details={request.details} />
        <Text span size="xs" c="dimmed">
          {choiceLabel[request.scope].toLowerCase()}
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => openRequest(request.request_id)}>
          View request
        </Button>
      </Group>
      <QuotedClaim by={request.agent.name} text={request.justification} />
    </div>
  );
}

function Decided({ decision }: { decision: PayloadOf<'permission.decided'> }) {
  const { slug } = useWorkspace();
  const { openRequest } = useTranscript();
  return (
    <Group gap="xs">
      <Status tone={statusTone[decision.status]}>{statusLabel[decision.status]}</Status>
      <Subject details={decision.details} />
      <span>
        {decision.status === 'approved' && decision.scope !== null
          ? decidedReach(decision.scope, decision.exact_call === true)
          : null}
      </span>
      {decision.grant_id === null ? null : (
        <TextLink to={pathOf(slug, 'grants', decision.grant_id)}>
          grant {decision.grant_id.slice(0, 8)}
        </TextLink>
      )}
      {decision.reason === null ? null : (
        <span>
          “<VisibleText text={decision.reason} />”
        </span>
      )}
      <Button size="compact-xs" variant="subtle" onClick={() => openRequest(decision.request_id)}>
        View request
      </Button>
    </Group>
  );
}

/** An approval of one call may be of the refused one alone. */
const decidedReach = (scope: GrantScope, isExact: boolean): string =>
  isExact ? `${choiceLabel[scope].toLowerCase()}, exactly this call` : choiceLabel[scope].toLowerCase();

function Subject({ details }: { details: Record<string, unknown> }) {
  const { scope } = details;
  return (
    <Text span fw={600}>
      {typeof scope === 'string' ? <VisibleText text={scope} /> : 'start another agent'}
    </Text>
  );
}
