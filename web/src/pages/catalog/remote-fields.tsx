import { Fieldset, Radio, Stack, Text, TextInput } from '@mantine/core';
import type { Manifest } from '../../api/types.ts';
import { SecretSelect } from '../../components/secret-select.tsx';
import { errorText } from '../agents/agent-form-type.ts';
import { HeaderFields } from './header-fields.tsx';
import { newHeader } from './remote-values.ts';
import type { EntryFormState } from './shape-fields.tsx';

/**
 * Where a remote server is, and how people sign in to it. `manifest` is what is typed, while it can be read.
 */
export function RemoteFields({ form, manifest }: { form: EntryFormState; manifest: Manifest | null }) {
  const { signInWith, headers } = form.values;
  const choose = (value: string) => {
    const isKey = value === 'key';
    form.setValues({
      signInWith: isKey ? 'key' : 'person',
      ...(isKey && headers.length === 0 ? { headers: [newHeader(manifest, [])] } : {}),
    });
  };
  return (
    <>
      <TextInput
        label="URL"
        description="Of its Streamable HTTP endpoint, such as https://mcp.example/notes."
        type="url"
        required
        spellCheck={false}
        {...form.getInputProps('url')}
      />
      <Radio.Group label="Sign-in" value={signInWith} onChange={choose} error={form.errors['signInWith']}>
        <Stack gap="xs" mt={4}>
          <Radio
            value="person"
            label="As each person, or not at all"
            description="Found out when you save. If the server asks for a sign-in, agents act as the person who operates the session, who signs in when it starts."
          />
          <Radio
            value="key"
            label="With a static key"
            description="Sent in a header, whoever operates the session. Agents never see it."
          />
        </Stack>
      </Radio.Group>
      {signInWith === 'person' ? (
        <ClientFields form={form} />
      ) : (
        <HeaderFields form={form} manifest={manifest} />
      )}
    </>
  );
}

/** Where the authorization server registers no clients by itself. */
function ClientFields({ form }: { form: EntryFormState }) {
  const { name, clientSecret } = form.values;
  return (
    <Fieldset legend="Client registered by hand">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Leave empty unless the server’s authorization server registers no clients by itself: then the saved
          entry says so, and shows the redirect URI to register there.
        </Text>
        <TextInput label="Client ID" spellCheck={false} {...form.getInputProps('clientId')} />
        <SecretSelect
          label="Client secret"
          description="If the authorization server issued one. Only the platform uses it."
          value={clientSecret}
          onChange={(secret) => form.setFieldValue('clientSecret', secret)}
          error={errorText(form.errors['clientSecret'])}
          suggestedName={`${name.trim().toUpperCase().replaceAll('-', '_') || 'REMOTE'}_CLIENT`}
        />
      </Stack>
    </Fieldset>
  );
}
