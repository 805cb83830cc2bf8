import { Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Banner } from '../../components/banner.tsx';
import { CodeTextarea } from '../../components/code-textarea.tsx';
import type { AgentFormState } from './agent-form-type.ts';
import { exampleInstructions, instructionsProblem } from './agent-values.ts';
import { rowsOfSteps } from './steps.ts';
import { StepsFields } from './steps-fields.tsx';

/** Prose for an ordinary agent; steps that are validated while typing for the scripted one. */
export function InstructionsField({ form }: { form: AgentFormState }) {
  const { run } = form.values;
  return run.type === 'scripted' ? (
    <ScriptedSteps form={form} />
  ) : (
    <Textarea
      label="Instructions"
      description="Passed to the agent with each session’s prompt."
      autosize
      minRows={5}
      maxRows={30}
      {...form.getInputProps('instructions')}
    />
  );
}

/** As rows, or as the JSON that they are: what is changed in one is in the other at once. */
function ScriptedSteps({ form }: { form: AgentFormState }) {
  const [view, setView] = useState('rows');
  const { instructions } = form.values;
  const problem = instructionsProblem(form.values);
  const change = (text: string) => form.setFieldValue('instructions', text);
  const rows = rowsOfSteps(instructions);
  return (
    <Stack gap="xs" role="group" aria-label="Steps of the agent">
      <Group justify="space-between" align="end">
        <div>
          <Text size="sm" fw={500}>
            Steps
          </Text>
          <Text size="xs" c="dimmed">
            What it does, in this order, the same way each time.
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          aria-label="Steps as"
          data={[
            { value: 'rows', label: 'Rows' },
            { value: 'json', label: 'JSON' },
          ]}
          value={view}
          onChange={setView}
        />
      </Group>
      {view === 'json' ? (
        <CodeTextarea
          label="Steps as JSON"
          description='{ "steps": [ … ] }: each step has one of call, list_tools, wait_for_message, sleep_seconds and write.'
          value={instructions}
          onChange={change}
          error={form.errors['instructions']}
        />
      ) : rows === null ? (
        <Banner role="status" tone="wait" title="This JSON cannot be shown as rows">
          {problem ?? 'It has more than steps.'}
        </Banner>
      ) : (
        <StepsFields
          text={instructions}
          rows={rows}
          onChange={change}
          isAsked={form.errors['instructions'] !== undefined}
        />
      )}
      <Text size="sm" role="status" c={problem === null || instructions === '' ? 'dimmed' : 'red'}>
        {instructions === ''
          ? 'No steps yet.'
          : problem === null
            ? 'The steps are valid.'
            : view === 'json'
              ? problem
              : 'Some steps are not valid yet.'}
      </Text>
      {instructions === '' ? (
        <Group>
          <Button variant="default" size="compact-sm" onClick={() => change(exampleInstructions)}>
            Use an example
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}
