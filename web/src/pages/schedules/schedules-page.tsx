import { Button, Text } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import type { Schedule } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named } from '../../components/avatar.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { Status } from '../../components/pill.tsx';
import { ListState } from '../../components/query-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { whenText } from '../../text/schedule-text.ts';
import { useSchedules } from './use-schedules.ts';

/** All schedules, or with `?agent=` those of one agent. */
export function SchedulesPage() {
  const { slug } = useWorkspace();
  const [params] = useSearchParams();
  const agentId = params.get('agent');
  const list = useSchedules(slug, agentId);
  const query = agentId === null ? '' : `?${new URLSearchParams({ agent: agentId })}`;
  const add = (
    <Button component={Link} href={`${pathOf(slug, 'schedules', 'new')}${query}`}>
      New schedule
    </Button>
  );
  return (
    <PageFrame
      title="Schedules"
      width="list"
      description="Agents that run by themselves, at times that you choose. No person is behind their sessions: you read them, end them, and answer their requests if the agent is yours."
      actions={add}
    >
      {agentId === null ? null : (
        <Text size="sm" component="div">
          Of one agent only. <TextLink to={pathOf(slug, 'schedules')}>Show all schedules</TextLink>
        </Text>
      )}
      <ListState
        list={list}
        what="The list of schedules"
        empty={
          <EmptyState
            title="No schedules yet"
            text="A schedule starts sessions of an agent by a cron expression or an interval."
          >
            {add}
          </EmptyState>
        }
      >
        {(schedules) => <SchedulesTable schedules={schedules} />}
      </ListState>
    </PageFrame>
  );
}

function SchedulesTable({ schedules }: { schedules: Schedule[] }) {
  return (
    <DataTable
      isFlush
      label="Schedules"
      columns={['Name', 'Agent', 'When', { name: 'State', width: 110 }, { name: 'Created by', width: 180 }]}
      isStacked
    >
      {schedules.map((schedule) => (
        <Row key={schedule.id} schedule={schedule} />
      ))}
    </DataTable>
  );
}

function Row({ schedule }: { schedule: Schedule }) {
  const { slug } = useWorkspace();
  const { id, name, agent, maker } = schedule;
  return (
    <tr>
      <td>
        <div className="cut" title={name}>
          <TextLink to={pathOf(slug, 'schedules', id)}>
            <VisibleText text={name} />
          </TextLink>
        </div>
      </td>
      <td>
        {agent === null ? (
          'removed'
        ) : (
          <Named avatar={<AgentAvatar name={agent.name} />} title={agent.name}>
            <TextLink to={pathOf(slug, 'agents', agent.id)}>
              <VisibleText text={agent.name} />
            </TextLink>
          </Named>
        )}
      </td>
      <td>{whenText(schedule)}</td>
      <td>
        <ScheduleState schedule={schedule} />
      </td>
      <td>{maker === null ? 'nobody' : <VisibleText text={maker.name} />}</td>
    </tr>
  );
}

export function ScheduleState({ schedule: { paused_at: pausedAt } }: { schedule: Schedule }) {
  return <Status tone={pausedAt === null ? 'ok' : 'idle'}>{pausedAt === null ? 'On' : 'Paused'}</Status>;
}
