/** How a session is, in one line: its state, who runs in it, how long and how much. */
import { Box } from '@mantine/core';
import type { Session } from '../../api/types.ts';
import { useServerNow } from '../../api/use-server-now.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named, PersonAvatar } from '../../components/avatar.tsx';
import { Icon } from '../../components/icon.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { numberText } from '../../text/number-text.ts';
import { elapsedText } from '../../text/time-text.ts';
import { type CallCount, callCountTexts } from './call-text.ts';
import { SessionStatus } from './session-status.tsx';
import { stateOf } from './status-text.ts';

export function StatusLine({ session, calls }: { session: Session; calls: CallCount }) {
  const { slug } = useWorkspace();
  const { status_reason: reason, agent, model_tokens: tokens } = session;
  const counts = callCountTexts(calls);
  return (
    <Box className="status-line" role="group" aria-label="State of the session">
      <SessionStatus status={stateOf(session)} />
      <Named avatar={<AgentAvatar name={agent.name} />} title={agent.name}>
        <TextLink to={pathOf(slug, 'agents', agent.id)}>
          <VisibleText text={agent.name} />
        </TextLink>
      </Named>
      <StartedBy session={session} />
      <span className="status-fact wide-only" title="How long it runs">
        <Icon name="clock" size={14} />
        <Elapsed session={session} />
      </span>
      {counts.all === '' ? null : (
        <span className="status-fact wide-only">
          <Icon name="tool" size={14} />
          {counts.all}
          {counts.refused === '' ? null : <span className="status-refused">{counts.refused}</span>}
        </span>
      )}
      {tokens === null ? null : (
        <span className="status-fact wide-only">
          <Icon name="tokens" size={14} />
          {numberText(tokens)} tokens
        </span>
      )}
      {reason === null ? null : (
        <div className="status-reason" title={reason}>
          <VisibleText text={reason} />
        </div>
      )}
    </Box>
  );
}

/** The rest of it, with links, is among the details. */
function StartedBy({ session }: { session: Session }) {
  const me = useMe().user.id;
  const { operator, parent_agent: parent, schedule_id: schedule } = session;
  if (operator !== null) {
    return (
      <span className="status-fact wide-only">
        <PersonAvatar name={operator.name} />
        <span className="cut">
          started by {operator.id === me ? 'you' : <VisibleText text={operator.name} />}
        </span>
      </span>
    );
  }
  return (
    <span className="status-fact wide-only">
      {parent !== null ? (
        <span className="cut">
          started by <VisibleText text={parent.name} />
        </span>
      ) : schedule === null ? (
        'no person behind it'
      ) : (
        'started by a schedule'
      )}
    </span>
  );
}

/** Counts while the session goes on. */
function Elapsed({ session: { created_at: from, ended_at: to } }: { session: Session }) {
  const nowMs = useServerNow(to === null);
  return elapsedText((to === null ? nowMs : Date.parse(to)) - Date.parse(from));
}
