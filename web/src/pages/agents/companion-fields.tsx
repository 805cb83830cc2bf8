import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import type { AgentFormState } from './agent-form-type.ts';
import type { CompanionValues, SiblingValues } from './agent-values.ts';
import { EnvFields } from './env-fields.tsx';
import { RunFields } from './run-fields.tsx';
import { newRun } from './run-values.ts';
import { SiblingFields } from './sibling-fields.tsx';
import { newListening } from './sibling-values.ts';

const newCompanion: CompanionValues = { name: '', run: newRun, env: [] };
const newSibling: SiblingValues = { ...newCompanion, ...newListening };

/**
 * What runs beside the agent. Siblings and services need a network of their own; the server says
 * where siblings have none.
 */
export function CompanionFields({
  form,
  path,
  what,
  companions,
}: {
  form: AgentFormState;
  path: 'siblings' | 'services';
  what: string;
  companions: readonly (CompanionValues & Partial<SiblingValues>)[];
}) {
  const siblingsRuledOut = useAvailability()?.companions ?? null;
  const ruledOut = path === 'siblings' ? siblingsRuledOut : null;
  return (
    <Stack gap="sm">
      {companions.map(({ name, run, env, ready }, at) => {
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
              {path === 'siblings' ? (
                <SiblingFields form={form} path={key} ready={ready ?? newListening.ready} />
              ) : null}
              <EnvFields
                form={form}
                path={`${key}.env`}
                rows={env}
                warning={`The ${what} gets the secret in plain text.`}
              />
              <Group>
                <Button variant="danger" size="compact-sm" onClick={() => form.removeListItem(path, at)}>
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
          onClick={() => form.insertListItem(path, path === 'siblings' ? newSibling : newCompanion)}
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
