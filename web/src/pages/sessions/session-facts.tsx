import { Anchor, Card } from '@mantine/core';
import type { Session } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

export function SessionFacts({ session }: { session: Session }) {
  const { slug } = useWorkspace();
  const { operator, root_operator: root, parent_session_id: parent, workflow } = session;
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
          {operator !== null ? (
            <VisibleText text={operator.name} />
          ) : root === null ? (
            'none'
          ) : (
            'none directly'
          )}
          {operator === null && root !== null ? (
            <>
              , started from a session of <VisibleText text={root.name} />
            </>
          ) : null}
        </Fact>
        {parent === null ? null : (
          <Fact name="Started by">
            <TextLink to={pathOf(slug, 'sessions', parent)}>session {parent.slice(0, 8)}</TextLink>
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

/** Which schedule started it, and whose that is. */
function ScheduleFact({ session }: { session: Session }) {
  const { slug } = useWorkspace();
  const { schedule_id: scheduleId, schedule, schedule_maker: maker } = session;
  return scheduleId === null ? null : (
    <Fact name="Started by">
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
