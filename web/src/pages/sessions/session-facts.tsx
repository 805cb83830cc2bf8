import { Anchor, Card } from '@mantine/core';
import type { Session } from '../../api/types.ts';
import { auditOfTreePath, pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

export function SessionFacts({ session }: { session: Session }) {
  const { slug, isAdmin } = useWorkspace();
  const { parent_session_id: parentId, parent_agent: parent, workflow } = session;
  return (
    <Card withBorder padding="sm" component="section" aria-label="About this session">
      <FactList label="Session details">
        {session.status_reason === null ? null : (
          <Fact name="Reason" isLong>
            <VisibleText text={session.status_reason} />
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
        <Fact name="Operator">
          <Operator session={session} />
        </Fact>
        {parentId === null || parent === null ? null : (
          <Fact name="Started by">
            the agent{' '}
            <TextLink to={pathOf(slug, 'sessions', parentId)}>
              <VisibleText text={parent.name} />
            </TextLink>
          </Fact>
        )}
        {session.label === null ? null : (
          <Fact name="Label, by that agent">
            <VisibleText text={session.label} />
          </Fact>
        )}
        <ScheduleFact session={session} />
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

function Operator({ session: { operator, root_operator: root } }: { session: Session }) {
  if (operator !== null) {
    return <VisibleText text={operator.name} />;
  }
  return root === null ? (
    'none'
  ) : (
    <>
      none directly, started from a session of <VisibleText text={root.name} />
    </>
  );
}

/** Which schedule started it, and whose that is. */
function ScheduleFact({ session }: { session: Session }) {
  const { slug } = useWorkspace();
  const { schedule_id: scheduleId, schedule, schedule_maker: maker } = session;
  return scheduleId === null ? null : (
    <Fact name={session.parent_session_id === null ? 'Started by' : 'Tree started by'}>
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
    </Fact>
  );
}
