import { Button, CloseButton, Group, Select, Stack, TextInput } from '@mantine/core';
import { Banner } from '../../components/banner.tsx';
import { SecretSelect } from '../../components/secret-select.tsx';
import { type AgentFormState, errorText } from './agent-form-type.ts';
import type { EnvRow } from './env-values.ts';

const kinds = [
  { value: 'value', label: 'Plain value' },
  { value: 'secret', label: 'Secret' },
];

/** The rows of an environment; `path` is their place in the form, such as `env`. */
export function EnvFields({
  form,
  path,
  rows,
  warning,
}: {
  form: AgentFormState;
  path: string;
  rows: readonly EnvRow[];
  /** Shown as soon as a row is a secret. */
  warning: string;
}) {
  return (
    <Stack gap="sm">
      {rows.some(({ kind }) => kind === 'secret') ? (
        <Banner tone="wait" role="status">
          {warning}
        </Banner>
      ) : null}
      {rows.map((row, at) => {
        const key = `${path}.${at}`;
        return (
          <EnvRowFields
            key={key}
            form={form}
            path={key}
            row={row}
            onRemove={() => form.removeListItem(path, at)}
          />
        );
      })}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => form.insertListItem(path, { name: '', kind: 'value', text: '' })}
        >
          Add variable
        </Button>
      </Group>
    </Stack>
  );
}

function EnvRowFields({
  form,
  path,
  row,
  onRemove,
}: {
  form: AgentFormState;
  path: string;
  row: EnvRow;
  onRemove: () => void;
}) {
  const what = row.name === '' ? 'the variable' : row.name;
  return (
    <Group
      role="group"
      aria-label={row.name === '' ? 'New variable' : row.name}
      gap="xs"
      align="flex-start"
      wrap="wrap"
    >
      <TextInput
        label="Variable"
        w={{ base: '100%', sm: 220 }}
        spellCheck={false}
        {...form.getInputProps(`${path}.name`)}
      />
      <Select
        label="Type"
        w={{ base: '100%', sm: 130 }}
        data={kinds}
        allowDeselect={false}
        value={row.kind}
        onChange={(kind) => {
          form.setFieldValue(`${path}.kind`, kind);
          form.setFieldValue(`${path}.text`, '');
        }}
      />
      {row.kind === 'value' ? (
        <TextInput
          label="Value"
          flex={1}
          miw={200}
          spellCheck={false}
          {...form.getInputProps(`${path}.text`)}
        />
      ) : (
        <div style={{ flex: 1, minWidth: 200 }}>
          <SecretSelect
            label="Secret"
            required
            value={row.text}
            onChange={(name) => form.setFieldValue(`${path}.text`, name)}
            error={errorText(form.errors[`${path}.text`])}
            suggestedName={row.name.toUpperCase()}
          />
        </div>
      )}
      <CloseButton mt={28} aria-label={`Remove ${what}`} onClick={onRemove} />
    </Group>
  );
}
