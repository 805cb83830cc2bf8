import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import type { AgentFormState } from './agent-form-type.ts';
import type { CompanionValues } from './agent-values.ts';
import { EnvFields } from './env-fields.tsx';
import { RunFields } from './run-fields.tsx';
import { newRun } from './run-values.ts';

/** What runs beside the agent. Every runtime runs services; siblings need one that has containers. */
export function CompanionFields({
  form,
  path,
  what,
  companions,
}: {
  form: AgentFormState;
  path: 'siblings' | 'services';
  what: string;
  companions: readonly CompanionValues[];
}) {
  const siblingsRuledOut = useAvailability()?.companions ?? null;
  const ruledOut = path === 'siblings' ? siblingsRuledOut : null;
  return (
    <Stack gap="sm">
      {companions.map(({ name, run, env }, at) => {
        const key = `${path}.${at}`;
        return (
          <Card key={key} withBorder role="group" aria-label={`${what} ${name}`}>
            <Stack gap="sm">
              <TextInput
                label="Name"
                description="Lowercase letters, digits and hyphens."
                required
                spellCheck={false}
                {...form.getInputProps(`${key}.name`)}
              />
              <RunFields form={form} path={`${key}.run`} value={run} isService={path === 'services'} />
              <EnvFields
                form={form}
                path={`${key}.env`}
                rows={env}
                warning={`The ${what} gets the secret in plain text.`}
              />
              <Group>
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  onClick={() => form.removeListItem(path, at)}
                >
                  Remove {what}
                </Button>
              </Group>
            </Stack>
          </Card>
        );
      })}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          disabled={ruledOut !== null}
          onClick={() => form.insertListItem(path, { name: '', run: newRun, env: [] })}
        >
          Add {what}
        </Button>
        {ruledOut === null ? null : (
          <Text size="xs" c="dimmed">
            Not available here: {ruledOut}.
          </Text>
        )}
      </Group>
    </Stack>
  );
}
