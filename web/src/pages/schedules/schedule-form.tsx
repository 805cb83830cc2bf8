import {
  Autocomplete,
  Button,
  Group,
  NumberInput,
  Radio,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { fieldErrors } from '../../api/field-errors.ts';
import type { ScheduleInput } from '../../api/types.ts';
import { useChoosableAgents } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { overlapLabels } from '../../text/schedule-text.ts';
import { fieldOf, inputOf, problemsOf, type ScheduleValues, shownPaths } from './schedule-values.ts';

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

function TimeFields({ form }: { form: Form }) {
  return (
    <>
      <Radio.Group label="Runs" {...form.getInputProps('kind')}>
        <Stack gap="xs" mt={4}>
          <Radio value="cron" label="At times of a cron expression" />
          <Radio value="interval" label="At an interval" />
        </Stack>
      </Radio.Group>
      {form.values.kind === 'cron' ? (
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of the month, month, day of the week. 0 9 * * MON-FRI is 09:00 from Monday to Friday."
          required
          spellCheck={false}
          {...form.getInputProps('expression')}
        />
      ) : (
        <NumberInput
          label="Interval in minutes"
          description="Counted from midnight in UTC: every 60 minutes is on the hour."
          required
          min={1}
          {...form.getInputProps('everyMinutes')}
        />
      )}
      <Autocomplete
        label="Time zone"
        description="A time that summer time skips does not run; one that it repeats runs once."
        required
        data={['UTC', ...Intl.supportedValuesOf('timeZone')]}
        limit={30}
        {...form.getInputProps('timeZone')}
      />
    </>
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
      <NumberInput
        label="Catch-up window in minutes"
        description="After an outage, runs that are late by no more than this are made up for."
        required
        min={1}
        {...form.getInputProps('catchUpMinutes')}
      />
      <NumberInput
        label="Minutes that permission requests wait"
        description="For a person to decide. A session that ends earlier takes its requests with it."
        required
        min={1}
        {...form.getInputProps('expiryMinutes')}
      />
    </>
  );
}
