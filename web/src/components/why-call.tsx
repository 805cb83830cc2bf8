/** Why a call passed, step by step: what was asked, what a person was shown and allowed, grant, call. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useId, useState } from 'react';
import { api, call } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { CallExplanation } from '../api/types.ts';
import { pathOf } from '../app/paths.ts';
import { useWorkspace } from '../app/signed-in.tsx';
import { oneCallText } from '../text/call-digest-text.ts';
import { absoluteTime, durationText } from '../text/time-text.ts';
import { Icon, type IconName } from './icon.tsx';
import { QueryState } from './query-state.tsx';
import { TextLink } from './text-link.tsx';
import { VisibleText } from './visible-text.tsx';

interface Which {
  sessionId: string;
  callId: string;
}

/** A button that unfolds it. */
export function WhyCallButton(which: Which) {
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  return (
    <>
      <button
        type="button"
        className="text-button"
        aria-expanded={isOpen}
        aria-controls={panel}
        onClick={() => setOpen(!isOpen)}
      >
        Why this call passed
      </button>
      {isOpen ? (
        <div id={panel}>
          <WhyCall {...which} />
        </div>
      ) : null}
    </>
  );
}

export function WhyCall({ sessionId, callId }: Which) {
  const query = useQuery({
    queryKey: keys.session(sessionId, 'why', callId),
    queryFn: ({ signal }) =>
      call(
        api.GET('/api/sessions/{session_id}/tool-calls/{call_id}/why', {
          params: { path: { session_id: sessionId, call_id: callId } },
          signal,
        }),
      ),
  });
  return (
    <QueryState query={query} what="Why this call passed">
      {({ why }) => <Steps why={why} />}
    </QueryState>
  );
}

interface Step {
  name: string;
  icon: IconName;
  title: ReactNode;
  lines: ReactNode[];
  at: string | null;
}

function Steps({ why }: { why: CallExplanation }) {
  const { slug } = useWorkspace();
  const steps = stepsOf(slug, why);
  return (
    <section className="why-call" aria-label="Why this call passed">
      <ol>
        {steps.map(({ name, icon, title, lines, at }) => (
          <li key={name}>
            <span className="why-mark">
              <Icon name={icon} size={14} />
            </span>
            <strong>{title}</strong>
            {lines.map((line, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a step never change their places.
              <Fragment key={place}>
                <span>{line}</span>
              </Fragment>
            ))}
            {at === null ? null : (
              <time dateTime={at} className="why-time">
                {absoluteTime(at)}
              </time>
            )}
          </li>
        ))}
      </ol>
      {why.grant !== null && why.approval === null ? (
        <Text size="sm" c="dimmed">
          The decision behind this grant is not kept any more, or was not made here.
        </Text>
      ) : null}
    </section>
  );
}

function stepsOf(slug: string, { call: made, grant, request, approval }: CallExplanation): Step[] {
  const steps: Step[] = [];
  if (request !== null) {
    steps.push({
      name: 'request',
      icon: 'ask',
      title: (
        <>
          <VisibleText text={request.agent.name} /> asked
        </>
      ),
      lines: [
        <TextLink key="link" to={pathOf(slug, 'approvals', request.id)}>
          View the request
        </TextLink>,
        request.refused_call === null
          ? 'without a refused call'
          : `after its call of ${request.refused_call.server}.${request.refused_call.tool} was refused`,
      ],
      at: request.created_at,
    });
  } else if (grant?.request_id != null) {
    steps.push({
      name: 'request',
      icon: 'ask',
      title: 'An agent asked',
      lines: ['in a session that you cannot read'],
      at: null,
    });
  }
  if (approval !== null) {
    steps.push({
      name: 'approval',
      icon: 'approvals',
      title: (
        <>
          <VisibleText text={approval.by?.name ?? 'A deleted user'} />, {approval.by_role}, allowed it
        </>
      ),
      lines: [
        <VisibleText key="shown" text={`${shownLabel(approval)}: ${shownText(approval)}`} />,
        approval.with_passkey ? 'confirmed with a passkey' : null,
        approval.reason === null || approval.reason === '' ? null : (
          <VisibleText key="reason" text={`“${approval.reason}”`} />
        ),
        request === null ? null : `after ${durationText(msBetween(request.created_at, approval.at))}`,
      ],
      at: approval.at,
    });
  }
  if (grant !== null) {
    steps.push({
      name: 'grant',
      icon: 'grants',
      title: 'Grant made',
      lines: [
        <TextLink key="link" to={pathOf(slug, 'grants', grant.id)}>
          grant {grant.id.slice(0, 8)}
        </TextLink>,
        <VisibleText key="holder" text={`for ${grant.subject.name}, ${grant.state} now`} />,
      ],
      at: grant.granted_at,
    });
  }
  return [...steps, callStep(made)];
}

const msBetween = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from));

const shownLabel = ({ is_signed: isSigned }: NonNullable<CallExplanation['approval']>) =>
  isSigned ? 'Shown and signed' : 'Recorded as shown, without a signature of the platform’s present key';

function shownText({
  scope,
  details,
  call_digest: digest,
  expires_at: ends,
}: NonNullable<CallExplanation['approval']>): string {
  const matter = Object.values(details).map(String).join(' at ');
  if (scope === 'once') {
    return `${matter}, ${digest === null ? 'one call' : oneCallText(digest)}`;
  }
  const end = ends === null ? 'until revoked' : `until ${absoluteTime(ends)}`;
  return `${matter}, ${scope === 'session' ? 'in one session' : end}`;
}

type Ending = 'passed' | 'refused' | 'not_reached' | 'unknown';
const endingOf: Record<CallExplanation['call']['outcome'], Ending> = {
  ok: 'passed',
  tool_error: 'passed',
  protocol_error: 'passed',
  permission_required: 'refused',
  refused: 'refused',
  waiting: 'not_reached',
  server_unavailable: 'not_reached',
  cancelled: 'unknown',
  unknown: 'unknown',
};
const endingText: Record<Ending, { icon: IconName; title: string }> = {
  passed: { icon: 'check', title: 'Call passed' },
  refused: { icon: 'gate', title: 'Call refused' },
  not_reached: { icon: 'warningFilled', title: 'Call did not reach its server' },
  unknown: { icon: 'help', title: 'Outcome unknown' },
};

function callStep({
  server,
  tool,
  outcome,
  duration_ms: ms,
  granted_via: via,
  at,
}: CallExplanation['call']): Step {
  const ending = endingOf[outcome];
  return {
    name: 'call',
    ...endingText[ending],
    lines: [
      <VisibleText key="tool" text={`${server}.${tool}`} />,
      ending === 'refused' ? 'It did not reach the server.' : null,
      ending === 'passed' ? (via === null ? 'No grant was needed.' : durationText(ms)) : null,
      ending === 'unknown' ? 'Whether the server carried it out is not known.' : null,
    ],
    at,
  };
}
