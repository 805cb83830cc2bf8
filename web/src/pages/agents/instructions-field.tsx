import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { CodeTextarea } from '../../components/code-textarea.tsx';
import type { AgentFormState } from './agent-form-type.ts';
import { exampleInstructions, instructionsProblem } from './agent-values.ts';

/** Prose for an ordinary agent; steps that are validated while typing for the scripted one. */
export function InstructionsField({ form }: { form: AgentFormState }) {
  const { run, instructions } = form.values;
  if (run.type !== 'scripted') {
    return (
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
  const problem = instructionsProblem(form.values);
  return (
    <Stack gap="xs">
      <CodeTextarea
        label="Steps"
        description='JSON { "steps": [ … ] }: each step has one of call, list_tools, wait_for_message, sleep_seconds and write.'
        value={instructions}
        onChange={(text) => form.setFieldValue('instructions', text)}
        error={form.errors['instructions']}
      />
      <Text size="sm" role="status" c={problem === null || instructions === '' ? 'dimmed' : 'red'}>
        {instructions === '' ? 'No steps yet.' : (problem ?? 'The steps are valid.')}
      </Text>
      {instructions === '' ? (
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => form.setFieldValue('instructions', exampleInstructions)}
          >
            Use an example
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}
