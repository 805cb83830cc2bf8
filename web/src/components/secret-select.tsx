import { Button, Group, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useAllSecrets } from '../api/use-all.ts';
import { useWorkspace } from '../app/signed-in.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/** Picks a secret by its name; admins also make one on the spot. `value` is a name, empty for none. */
export function SecretSelect({
  label,
  description,
  required = false,
  value,
  onChange,
  error,
  suggestedName,
}: {
  label: string;
  description?: string | undefined;
  required?: boolean;
  value: string;
  onChange: (name: string) => void;
  error?: string | undefined;
  suggestedName: string;
}) {
  const { slug, isAdmin } = useWorkspace();
  const secrets = useAllSecrets(slug).data ?? [];
  const [opened, dialog] = useDisclosure();
  const known = secrets.map(({ name, is_set }) => ({
    value: name,
    label: is_set ? name : `${name} (not set)`,
    disabled: !is_set && name !== value,
  }));
  const isKnown = value === '' || secrets.some(({ name }) => name === value);
  return (
    <>
      <Group gap="xs" align="flex-end" wrap="wrap">
        <Select
          flex={1}
          miw={200}
          label={label}
          description={description}
          required={required}
          data={isKnown ? known : [...known, { value, label: `${value} (does not exist)`, disabled: false }]}
          value={value === '' ? null : value}
          onChange={(name) => onChange(name ?? '')}
          error={error}
          placeholder="Choose a secret"
          nothingFoundMessage="No matching secrets"
          searchable
          clearable={!required}
          allowDeselect={!required}
          inputWrapperOrder={['label', 'description', 'error', 'input']}
        />
        {isAdmin ? (
          <Button variant="default" onClick={dialog.open}>
            New secret
          </Button>
        ) : null}
      </Group>
      <SecretDialog
        opened={opened}
        onClose={dialog.close}
        suggestedName={suggestedName}
        onSaved={({ name }) => onChange(name)}
      />
    </>
  );
}
