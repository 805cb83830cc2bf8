import { Button } from '@mantine/core';
import type { WorkspaceHome } from '../../api/types.ts';
import { useRunAgain } from '../../api/use-run-again.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { Icon } from '../../components/icon.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { HomeCard } from './home-card.tsx';
import { SessionRow } from './session-row.tsx';

type Failed = WorkspaceHome['failed'];

/** Sessions that failed within the last 24 hours, and the way to start them again. Nothing without any. */
export function FailedPart({ failed: { first, count } }: { failed: Failed }) {
  const { slug } = useWorkspace();
  const again = useRunAgain(slug);
  if (count === 0) {
    return null;
  }
  return (
    <HomeCard
      title="Failed in the last 24 hours"
      count={count}
      more={{ to: `${pathOf(slug, 'sessions')}?status=failed`, label: 'All failures' }}
    >
      <FailureAlert error={again.error} values={again.variables} />
      <ul className="home-sessions home-failed">
        {first.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            icon={
              <span className="home-state tone-fail">
                <Icon name="alertFilled" />
              </span>
            }
            fact={
              session.reason === null ? null : (
                <span className="cut" title={session.reason}>
                  <VisibleText text={session.reason} />
                </span>
              )
            }
            at={<RelativeTime at={session.ended_at} />}
            action={
              session.may_run_again ? (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<Icon name="refresh" size={14} />}
                  loading={again.isPending && again.variables === session.id}
                  disabled={again.isPending}
                  onClick={() => again.mutate(session.id)}
                >
                  Run again
                </Button>
              ) : null
            }
          />
        ))}
      </ul>
    </HomeCard>
  );
}
