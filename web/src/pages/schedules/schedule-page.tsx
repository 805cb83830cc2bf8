import { List, Text, Title } from '@mantine/core';
import type { Schedule, ScheduleOutlook } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { cronWords } from '../../text/cron-words.ts';
import { durationWords } from '../../text/duration-words.ts';
import { zoneName } from '../../text/local-time.ts';
import { overlapLabels, pauseText, timeIn, whenText } from '../../text/schedule-text.ts';
import { RunsPart } from './runs-part.tsx';
import { ScheduleActions } from './schedule-actions.tsx';
import { useSchedule } from './use-schedules.ts';
import './schedules.css';

/** One schedule: when it runs next, what it does, and the outcome of its times. */
export function SchedulePage({ id }: { id: string }) {
  const { slug } = useWorkspace();
  return (
    <QueryState query={useSchedule(slug, id)} what="The schedule">
      {({ schedule, outlook }) => <Shown schedule={schedule} outlook={outlook} />}
    </QueryState>
  );
}

function Shown({ schedule, outlook }: { schedule: Schedule; outlook: ScheduleOutlook | null }) {
  const { slug } = useWorkspace();
  const { name, may_change: mayChange } = schedule;
  return (
    <PageFrame
      parent={{ to: pathOf(slug, 'schedules'), label: 'All schedules' }}
      title={name}
      actions={mayChange ? <ScheduleActions schedule={schedule} /> : null}
    >
      <PausedAlert schedule={schedule} />
      <Facts schedule={schedule} />
      <Title order={2} size="h4">
        Next runs
      </Title>
      <NextRuns schedule={schedule} outlook={outlook} />
      {mayChange ? (
        <RunsPart schedule={schedule} outlook={outlook} />
      ) : (
        <Banner role="note" tone="idle">
          Only who created it and workspace admins see its prompt and its runs, and change it.
        </Banner>
      )}
    </PageFrame>
  );
}

function PausedAlert({ schedule }: { schedule: Schedule }) {
  const { paused_at: at, pause_note: note } = schedule;
  const reason = pauseText(schedule);
  return at === null || reason === null ? null : (
    <Banner role="status" tone="wait" title="This schedule is paused">
      {reason} (<RelativeTime at={at} />)
      {note === null ? null : (
        <Text size="sm" mt={4} component="div">
          <VisibleText text={note} />
        </Text>
      )}
    </Banner>
  );
}

function Facts({ schedule }: { schedule: Schedule }) {
  const { slug } = useWorkspace();
  const { agent, maker, prompt, overlap, spec } = schedule;
  return (
    <FactList label="Settings">
      <Fact name="Agent">
        {agent === null ? (
          'removed'
        ) : (
          <TextLink to={pathOf(slug, 'agents', agent.id)}>
            <VisibleText text={agent.name} />
          </TextLink>
        )}
      </Fact>
      <Fact name="Runs">
        {whenText(schedule)}
        {spec.kind === 'cron' && cronWords(spec.expression) !== null ? (
          <>
            {' '}
            <span className="mono schedule-cron">{spec.expression}</span>
          </>
        ) : null}
      </Fact>
      <Fact name="If the last run is still going">{overlapLabels[overlap]}</Fact>
      <Fact name="After an outage">
        runs up to {durationWords(schedule.catch_up_window_seconds)} late are made up for
      </Fact>
      <Fact name="Permission requests wait">{durationWords(schedule.request_expiry_seconds)}</Fact>
      <Fact name="Created by">{maker === null ? 'nobody' : <VisibleText text={maker.name} />}</Fact>
      {prompt === null ? null : (
        <Fact name="Prompt" isLong>
          <VisibleText text={prompt} />
        </Fact>
      )}
    </FactList>
  );
}

function NextRuns({
  schedule: { paused_at: pausedAt, time_zone: zone },
  outlook,
}: {
  schedule: Schedule;
  outlook: ScheduleOutlook | null;
}) {
  if (pausedAt !== null) {
    return <Text c="dimmed">None until it is resumed. Times that pass meanwhile are not made up for.</Text>;
  }
  if (outlook === null) {
    return <Text c="dimmed">Not known at the moment: Temporal does not answer, or is still to be told.</Text>;
  }
  const own = zoneName();
  return outlook.next_times.length === 0 ? (
    <Text c="dimmed">There is none.</Text>
  ) : (
    <List size="sm" aria-label="Next runs">
      {outlook.next_times.map((at) => (
        <List.Item key={at}>
          <time dateTime={at}>{timeIn(at, zone)}</time> ({zone})
          {own === zone ? null : (
            <Text span size="sm" c="dimmed">
              , for you {timeIn(at, own)} ({own})
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  );
}
