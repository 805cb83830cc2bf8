import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiFailure } from '../../../api/failure.ts';
import { fieldErrors } from '../../../api/field-errors.ts';
import type { McpCheck, McpServer } from '../../../api/types.ts';
import { FailureAlert } from '../../../components/failure-alert.tsx';
import { useDraft } from '../../../components/use-draft.ts';
import { AttachmentField } from '../../agents/attachment-field.tsx';
import { envOfGiven, givenBefore } from '../../agents/attachment-values.ts';

type Start = UseMutationResult<{ mcp_check: McpCheck }, Error, Record<string, string>>;

/** What the server is given: the same fields as of an attachment. A secret is named, never typed. */
export function CheckForm({
  entry: { name, version, manifest, unavailable },
  start,
  isRunning,
}: {
  entry: McpServer;
  start: Start;
  isRunning: boolean;
}) {
  const [given, setGiven] = useDraft(`check of ${name} ${version}`, givenBefore(manifest, {}));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const fields = Object.entries(manifest.env);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    start.mutate(envOfGiven(manifest, given), { onError: (error) => setErrors(fieldErrors(error)) });
  };
  const give = (variable: string, text: string) => {
    setGiven({ ...given, [variable]: text });
    // An error of the previous text does not apply to this one.
    setErrors(({ [`env.${variable}`]: _, ...others }) => others);
  };
  const paths = start.error instanceof ApiFailure ? start.error.fields.map(({ path }) => path) : [];
  return (
    <Card withBorder component="form" onSubmit={submit} noValidate>
      <Stack>
        <Title order={2} size="h4">
          Configuration
        </Title>
        {fields.length === 0 ? <Text size="sm">This server needs no configuration.</Text> : null}
        {fields.map(([variable, field]) => (
          <AttachmentField
            key={variable}
            variable={variable}
            field={field}
            value={given[variable] ?? ''}
            onChange={(text) => give(variable, text)}
            error={errors[`env.${variable}`]}
          />
        ))}
        <FailureAlert
          error={start.error}
          shownAtFields={paths.filter((path) => fields.some(([variable]) => path === `env.${variable}`))}
          values={given}
        />
        <Group>
          <Button type="submit" loading={start.isPending} disabled={isRunning || unavailable !== null}>
            Run check
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
