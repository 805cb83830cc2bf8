import { Text, Title } from '@mantine/core';
import type { Schedule, ScheduleOutlook, ScheduleRun } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ListState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { timeIn, withoutSessionText } from '../../text/schedule-text.ts';
import { SessionStatus } from '../sessions/session-status.tsx';
import { useRuns } from './use-schedules.ts';

/** The outcome of the times of a schedule. */
export function RunsPart({ schedule, outlook }: { schedule: Schedule; outlook: ScheduleOutlook | null }) {
  const { slug } = useWorkspace();
  const list = useRuns(slug, schedule.id);
  return (
    <>
      <Title order={2} size="h4">
        History
      </Title>
      {outlook === null ? null : (
        <Text size="sm" c="dimmed">
          {outlook.skipped_for_overlap} left out because the one before still ran, {outlook.missed} missed
          during an outage.
        </Text>
      )}
      <ListState list={list} what="The history" empty={<Text c="dimmed">No runs on record.</Text>}>
        {(runs) => <RunsTable runs={runs} zone={schedule.time_zone} />}
      </ListState>
    </>
  );
}

function RunsTable({ runs, zone }: { runs: ScheduleRun[]; zone: string }) {
  return (
    <DataTable label="History" columns={['Due', 'Run by', 'Recorded', 'Session']} minWidth={640}>
      {runs.map((run) => (
        <tr key={run.id}>
          <td>{timeIn(run.scheduled_at, zone)}</td>
          <td>
            {run.requested_by === null ? (
              'the schedule'
            ) : (
              <>
                <VisibleText text={run.requested_by.name} />, by hand
              </>
            )}
          </td>
          <td>
            <RelativeTime at={run.created_at} />
          </td>
          <td>
            <RunSession run={run} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function RunSession({ run }: { run: ScheduleRun }) {
  const { slug } = useWorkspace();
  const { session_id: id, session_status: status, session_status_reason: why } = run;
  const reason = withoutSessionText(run);
  if (reason !== null) {
    return <>None: {reason}</>;
  }
  return id === null || status === null ? (
    <>Removed with its agent</>
  ) : (
    <>
      <TextLink to={pathOf(slug, 'sessions', id)}>Session {id.slice(0, 8)}</TextLink>{' '}
      <SessionStatus status={status} />
      {status === 'completed' || why === null ? null : (
        <Text size="sm" lineClamp={2} component="div" title={why}>
          <VisibleText text={why} />
        </Text>
      )}
    </>
  );
}
