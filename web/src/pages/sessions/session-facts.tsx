import { Anchor, Card } from '@mantine/core';
import type { Session } from '../../api/types.ts';
import { auditOfTreePath, pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** The line of the session's state shows the whole of a reason that is no longer. */
const shownInLine = 160;

export function SessionFacts({ session }: { session: Session }) {
  const { slug, isAdmin } = useWorkspace();
  const { workflow } = session;
  return (
    <Card withBorder padding="sm" component="section" aria-label="About this session">
      <FactList label="Session details">
        {(session.status_reason?.length ?? 0) <= shownInLine ? null : (
          <Fact name="Reason" isLong>
            <VisibleText text={session.status_reason ?? ''} />
          </Fact>
        )}
        {session.outcome?.summary && session.outcome.summary !== session.status_reason ? (
          <Fact name="Agent's summary" isLong>
            <VisibleText text={session.outcome.summary} />
          </Fact>
        ) : null}
        <Fact name="Agent">
          <TextLink to={pathOf(slug, 'agents', session.agent_id)}>
            <VisibleText text={session.agent.name} />
          </TextLink>
        </Fact>
        <Fact name="Started by">
          <Starter session={session} />
        </Fact>
        {session.label === null ? null : (
          <Fact name="Label, by that agent">
            <VisibleText text={session.label} />
          </Fact>
        )}
        {session.schedule_id === null || session.parent_session_id === null ? null : (
          <Fact name="Tree started by">
            <ScheduleName session={session} />
          </Fact>
        )}
        <Fact name="Started">
          <RelativeTime at={session.created_at} />
        </Fact>
        {session.ended_at === null ? null : (
          <Fact name="Ended">
            <RelativeTime at={session.ended_at} />
          </Fact>
        )}
        <Fact name="ID">
          <CopyableId id={session.id} />
        </Fact>
        {isAdmin ? (
          <Fact name="Audit trail">
            <TextLink to={auditOfTreePath(slug, session.id)}>This session and those below it</TextLink>
          </Fact>
        ) : null}
        {workflow.url === null ? null : (
          <Fact name="Workflow">
            <Anchor href={workflow.url} target="_blank" rel="noopener noreferrer" underline="always" inherit>
              Open in the Temporal UI
            </Anchor>
          </Fact>
        )}
      </FactList>
    </Card>
  );
}

/** The person, the agent that started it and for whom, or the schedule. */
function Starter({ session }: { session: Session }) {
  const { slug } = useWorkspace();
  const { operator, parent_session_id: parentId, parent_agent: parent, root_operator: root } = session;
  if (operator !== null) {
    return <VisibleText text={operator.name} />;
  }
  if (parentId === null || parent === null) {
    return session.schedule_id === null ? 'no person' : <ScheduleName session={session} />;
  }
  return (
    <>
      <TextLink to={pathOf(slug, 'sessions', parentId)}>
        <VisibleText text={parent.name} />
      </TextLink>
      {root === null ? null : (
        <>
          , for <VisibleText text={root.name} />
        </>
      )}
    </>
  );
}

/** Which schedule started it, or the session above it, and whose that is. */
function ScheduleName({ session: { schedule, schedule_maker: maker } }: { session: Session }) {
  const { slug } = useWorkspace();
  return (
    <>
      {schedule === null ? (
        'a schedule that was removed'
      ) : (
        <>
          the schedule{' '}
          <TextLink to={pathOf(slug, 'schedules', schedule.id)}>
            <VisibleText text={schedule.name} />
          </TextLink>
        </>
      )}
      {maker === null ? null : (
        <>
          {' '}
          of <VisibleText text={maker.name} />
        </>
      )}
    </>
  );
}
