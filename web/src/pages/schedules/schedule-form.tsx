import {
  Autocomplete,
  Button,
  Group,
  Input,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../../api/field-errors.ts';
import type { ScheduleInput } from '../../api/types.ts';
import { useChoosableAgents } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DurationInput } from '../../components/duration-input.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import {
  daysOfWeek,
  expressionOf,
  type SimpleTimes,
  simpleTimesOf,
  timeOfDay,
} from '../../text/cron-words.ts';
import { zoneName } from '../../text/local-time.ts';
import { overlapLabels, timeIn, whenText } from '../../text/schedule-text.ts';
import { relativeTime } from '../../text/time-text.ts';
import {
  begunAs,
  fieldOf,
  inputOf,
  nextRunsOf,
  problemsOf,
  type ScheduleValues,
  shownPaths,
  specOf,
  timesAs,
} from './schedule-values.ts';
import './schedules.css';

type Form = UseFormReturnType<ScheduleValues>;

/** What the maker of a schedule decides. `save` is what sends it. */
export function ScheduleForm({
  initial,
  draftName,
  save,
  submitLabel,
  onCancel,
}: {
  initial: ScheduleValues;
  /** What is typed is kept under this name until it is sent. */
  draftName: string;
  save: UseMutationResult<unknown, Error, ScheduleInput>;
  submitLabel: string;
  onCancel: () => void;
}) {
  const { slug } = useWorkspace();
  const form = useForm<ScheduleValues>({ initialValues: initial, validate: problemsOf });
  const send = (values: ScheduleValues) =>
    save.mutate(inputOf(values), { onError: (error) => form.setErrors(fieldErrors(error, fieldOf)) });
  return (
    <form onSubmit={form.onSubmit(send)} noValidate>
      <Stack>
        <FormDraft form={form} slug={slug} name={draftName} save={save} />
        <TaskFields form={form} />
        <TimeFields form={form} />
        <RunFields form={form} />
        <FailureAlert error={save.error} shownAtFields={shownPaths} values={form.values} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {submitLabel}
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function TaskFields({ form }: { form: Form }) {
  const { slug } = useWorkspace();
  const { agentId } = form.values;
  const agents = useChoosableAgents(slug, agentId === null ? [] : [agentId]);
  return (
    <>
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <Select
        label="Agent"
        data={agents.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        required
        allowDeselect={false}
        {...form.getInputProps('agentId')}
      />
      <Textarea
        label="Prompt"
        description="What the agent should do, each time. Members who may not change the schedule do not see it."
        autosize
        minRows={3}
        maxRows={16}
        {...form.getInputProps('prompt')}
      />
    </>
  );
}

const kinds: { value: ScheduleValues['kind']; label: string }[] = [
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
  { value: 'interval', label: 'Interval' },
  { value: 'cron', label: 'Cron' },
];

/** The expression stays the one truth: what is chosen is written to it, and read from it. */
function TimeFields({ form }: { form: Form }) {
  const { kind, expression } = form.values;
  const simple = simpleTimesOf(expression);
  const put = (times: SimpleTimes) => form.setFieldValue('expression', expressionOf(times));
  const choose = (next: ScheduleValues['kind']) => {
    form.setFieldValue('kind', next);
    if (next !== 'interval' && next !== 'cron' && simple?.kind !== next) {
      put(begunAs(next, simple));
    }
  };
  return (
    <>
      <Input.Wrapper label="When" labelElement="div">
        <SegmentedControl
          fullWidth
          size="xs"
          mt={4}
          aria-label="When"
          data={kinds}
          value={kind}
          onChange={(value) => choose(value as ScheduleValues['kind'])}
        />
      </Input.Wrapper>
      {kind === 'cron' ? (
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of the month, month, day of the week. 0 9 * * MON-FRI is 09:00 from Monday to Friday."
          required
          spellCheck={false}
          {...form.getInputProps('expression')}
          error={form.errors['expression'] ?? problemsOf(form.values)['expression']}
        />
      ) : kind === 'interval' ? (
        <DurationInput
          label="Every"
          description="Counted from midnight in UTC: every 1 h is on the hour."
          required
          choices={[900, 3600, 6 * 3600, 86_400]}
          value={form.values.everySeconds}
          onChange={(seconds) => form.setFieldValue('everySeconds', seconds)}
          error={form.errors['everySeconds']}
        />
      ) : (
        <SimpleTimesFields times={timesAs(kind, expression)} onChange={put} />
      )}
      <Autocomplete
        label="Time zone"
        description="A time that the clock skips in spring does not run that day; one that comes twice in autumn runs once."
        required
        data={['UTC', ...Intl.supportedValuesOf('timeZone')]}
        limit={30}
        {...form.getInputProps('timeZone')}
      />
      <Preview values={form.values} />
    </>
  );
}

function SimpleTimesFields({
  times,
  onChange,
}: {
  times: SimpleTimes;
  onChange: (times: SimpleTimes) => void;
}) {
  return (
    <Group align="flex-end" gap="sm">
      {times.kind === 'weekly' ? (
        <Input.Wrapper label="On" labelElement="div">
          <Group gap={4} mt={4} role="group" aria-label="Days of the week">
            {daysOfWeek.map((day) => (
              <DayButton
                key={day}
                day={day}
                isOn={times.days.includes(day)}
                // A week without a day is no schedule.
                isLast={times.days.length === 1}
                onToggle={() => onChange({ ...times, days: toggled(times.days, day) })}
              />
            ))}
          </Group>
        </Input.Wrapper>
      ) : null}
      {times.kind === 'monthly' ? (
        <DayOfMonth day={times.day} onChange={(day) => onChange({ ...times, day })} />
      ) : null}
      <TextInput
        label="At"
        type="time"
        w={130}
        value={timeOfDay(times)}
        onChange={({ currentTarget: { value } }) => {
          const [, hour, minute] = /^(\d\d):(\d\d)/.exec(value) ?? [];
          if (hour !== undefined && minute !== undefined) {
            onChange({ ...times, hour: Number(hour), minute: Number(minute) });
          }
        }}
      />
    </Group>
  );
}

/** Empty while another day is typed: the last one holds until there is one. */
function DayOfMonth({ day, onChange }: { day: number; onChange: (day: number) => void }) {
  const [isEmpty, setEmpty] = useState(false);
  return (
    <NumberInput
      label="On day"
      w={100}
      min={1}
      max={31}
      allowDecimal={false}
      clampBehavior="strict"
      value={isEmpty ? '' : day}
      onBlur={() => setEmpty(false)}
      onChange={(next) => {
        const isDay = typeof next === 'number' && next >= 1;
        setEmpty(!isDay);
        if (isDay) {
          onChange(next);
        }
      }}
    />
  );
}

const toggled = (days: readonly number[], day: number) =>
  days.includes(day) ? days.filter((other) => other !== day) : [...days, day];

const dayName = (day: number, length: 'long' | 'short') =>
  // The first of January 2023 was a Sunday.
  new Intl.DateTimeFormat('en-GB', { weekday: length, timeZone: 'UTC' }).format(Date.UTC(2023, 0, 1 + day));

function DayButton({
  day,
  isOn,
  isLast,
  onToggle,
}: {
  day: number;
  isOn: boolean;
  isLast: boolean;
  onToggle: () => void;
}) {
  return (
    <Button
      size="compact-sm"
      variant={isOn ? 'light' : 'default'}
      aria-pressed={isOn}
      aria-label={dayName(day, 'long')}
      disabled={isOn && isLast}
      onClick={onToggle}
    >
      {dayName(day, 'short')}
    </Button>
  );
}

/** What it means, while it is chosen. */
function Preview({ values }: { values: ScheduleValues }) {
  const now = Date.now();
  const times = nextRunsOf(values, now);
  const zone = values.timeZone.trim();
  const own = zoneName();
  return (
    <section className="schedule-preview" aria-label="What it means">
      {times.length === 0 ? (
        <Text size="sm" c="dimmed">
          The next runs are shown here once the times are right.
        </Text>
      ) : (
        <>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={500}>
              {whenText({ spec: specOf(values), time_zone: zone })}
            </Text>
            {values.kind === 'interval' ? null : (
              <span className="mono schedule-cron">{values.expression}</span>
            )}
          </Group>
          <ol aria-label="Next runs">
            {times.map((atMs) => {
              const at = new Date(atMs).toISOString();
              return (
                <li key={at}>
                  <time dateTime={at}>{timeIn(at, zone)}</time>
                  <span>
                    {relativeTime(at, now)}
                    {own === zone ? '' : `, for you ${timeIn(at, own)}`}
                  </span>
                </li>
              );
            })}
          </ol>
        </>
      )}
    </section>
  );
}

function RunFields({ form }: { form: Form }) {
  return (
    <>
      <Select
        label="If the last run is still going"
        data={Object.entries(overlapLabels).map(([value, label]) => ({ value, label }))}
        required
        allowDeselect={false}
        {...form.getInputProps('overlap')}
      />
      <DurationInput
        label="Made up for when late by at most"
        description="After an outage. What is later than that does not run."
        required
        choices={[600, 3600, 86_400]}
        value={form.values.catchUpSeconds}
        onChange={(seconds) => form.setFieldValue('catchUpSeconds', seconds)}
        error={form.errors['catchUpSeconds']}
      />
      <DurationInput
        label="Permission requests wait for"
        description="For a person to decide. A session that ends earlier takes its requests with it."
        required
        choices={[3600, 8 * 3600, 86_400]}
        value={form.values.expirySeconds}
        onChange={(seconds) => form.setFieldValue('expirySeconds', seconds)}
        error={form.errors['expirySeconds']}
      />
    </>
  );
}
