import { Autocomplete, Button, CloseButton, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { envName } from '../../../../contract/names.ts';
import type { Manifest } from '../../api/types.ts';
import { newHeader, withSecretVariable } from './remote-values.ts';
import type { EntryFormState } from './shape-fields.tsx';

/** The headers that carry a static credential: each a prefix and a variable of the manifest. */
export function HeaderFields({ form, manifest }: { form: EntryFormState; manifest: Manifest | null }) {
  const { headers } = form.values;
  return (
    <Stack gap="sm" role="group" aria-label="Headers">
      <Text size="sm">
        The value of a header is its prefix, which all members see, and a variable of the manifest, which each
        agent’s attachment fills in from a secret.
      </Text>
      {headers.map((_, at) => {
        const key = `headers.${at}`;
        return <HeaderRowFields key={key} form={form} at={at} manifest={manifest} />;
      })}
      {form.errors['headers'] ? <Input.Error>{form.errors['headers']}</Input.Error> : null}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            form.insertListItem('headers', newHeader(manifest, headers));
            form.clearFieldError('headers');
          }}
        >
          Add header
        </Button>
      </Group>
    </Stack>
  );
}

function HeaderRowFields({
  form,
  at,
  manifest,
}: {
  form: EntryFormState;
  at: number;
  manifest: Manifest | null;
}) {
  const path = `headers.${at}`;
  const { name = '', variable = '' } = form.values.headers[at] ?? {};
  const nameProps = form.getInputProps(`${path}.name`);
  return (
    <Stack gap={4} role="group" aria-label={name === '' ? 'New header' : `Header ${name}`}>
      <Group gap="xs" align="flex-start" wrap="wrap">
        <TextInput
          label="Header"
          required
          w={{ base: '100%', sm: 200 }}
          spellCheck={false}
          {...nameProps}
          onChange={(event) => {
            nameProps.onChange(event);
            // Two of the same name: a problem of the list.
            form.clearFieldError('headers');
          }}
        />
        <TextInput
          label="Prefix"
          w={{ base: '100%', sm: 140 }}
          spellCheck={false}
          {...form.getInputProps(`${path}.prefix`)}
        />
        <Autocomplete
          label="Variable"
          required
          flex={1}
          miw={200}
          spellCheck={false}
          data={Object.keys(manifest?.env ?? {})}
          {...form.getInputProps(`${path}.variable`)}
        />
        <CloseButton
          mt={28}
          aria-label={`Remove ${name === '' ? 'the header' : name}`}
          onClick={() => form.removeListItem('headers', at)}
        />
      </Group>
      <DeclareVariable form={form} variable={variable.trim()} manifest={manifest} />
    </Stack>
  );
}

/** For a variable that the manifest does not have yet; nothing while the manifest cannot be read. */
function DeclareVariable({
  form,
  variable,
  manifest,
}: {
  form: EntryFormState;
  variable: string;
  manifest: Manifest | null;
}) {
  const isDeclared = Object.hasOwn(manifest?.env ?? {}, variable);
  const changed = isDeclared ? null : withSecretVariable(form.values.manifestText, variable);
  if (changed === null || !envName.safeParse(variable).success) {
    return null;
  }
  return (
    <Group gap="xs">
      <Text size="sm">The manifest does not declare {variable} yet.</Text>
      <Button variant="default" size="compact-sm" onClick={() => form.setFieldValue('manifestText', changed)}>
        Declare {variable} as a secret
      </Button>
    </Group>
  );
}
