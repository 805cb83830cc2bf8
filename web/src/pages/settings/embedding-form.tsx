import { Button, Card, Group, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import type { EmbeddingProvider, EmbeddingProviderCheck } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { SecretSelect } from '../../components/secret-select.tsx';
import { checkText, type EmbeddingValues, embeddingInputOf, embeddingValuesOf } from './embedding-values.ts';

function EmbeddingForm({ provider }: { provider: EmbeddingProvider | null }) {
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  const params = { path: { slug } };
  const form = useForm<EmbeddingValues>({
    initialValues: embeddingValuesOf(provider),
    validate: {
      base_url: (value) => (value.trim() === '' ? 'Enter an address' : null),
      model: (value) => (value.trim() === '' ? 'Enter a model' : null),
    },
  });
  const isSaved = !form.isDirty();
  // Asks the saved provider, not what stands in the form.
  const check = useApiMutation({
    send: () => call(api.POST('/api/workspaces/{slug}/embedding-provider/check', { params })),
  });
  const save = useApiMutation({
    send: (values: EmbeddingValues) =>
      call(api.PUT('/api/workspaces/{slug}/embedding-provider', { params, body: embeddingInputOf(values) })),
    invalidates: [keys.secrets(slug)],
    onSuccess(answer) {
      check.reset();
      form.setInitialValues(embeddingValuesOf(answer.embedding_provider));
      form.reset();
      queries.setQueryData(keys.embeddingProvider(slug), answer);
    },
    onError: (error) => form.setErrors(fieldErrors(error, (path) => (path === 'api_key' ? 'secret' : path))),
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <FormDraft form={form} slug={slug} name="embedding-provider" save={save} />
        <ProviderFields form={form} />
        <FailureAlert
          error={save.error}
          shownAtFields={['base_url', 'model', 'dimensions', 'api_key']}
          values={form.values}
        />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={isSaved}>
            Save provider
          </Button>
          {provider === null ? null : (
            <>
              <Button
                variant="default"
                onClick={() => check.mutate()}
                loading={check.isPending}
                disabled={!isSaved}
              >
                Check provider
              </Button>
              <RemoveProvider
                onRemoved={() => {
                  form.setInitialValues(embeddingValuesOf(null));
                  form.reset();
                }}
              />
            </>
          )}
        </Group>
        <Text size="sm" role="status" mih="1lh">
          {isSaved && !check.isPending ? outcomeText(check.data?.check, save.isSuccess) : ''}
        </Text>
        <FailureAlert error={check.error} />
      </Stack>
    </form>
  );
}

/** What an admin says of the provider. */
function ProviderFields({ form }: { form: UseFormReturnType<EmbeddingValues> }) {
  return (
    <>
      <TextInput
        label="Address"
        description="Of a service with OpenAI's interface for embeddings; /embeddings is added to it."
        placeholder="https://api.example.com/v1"
        required
        {...form.getInputProps('base_url')}
      />
      <TextInput label="Model" required {...form.getInputProps('model')} />
      <NumberInput
        label="Dimensions"
        description="For models that can shorten their vectors. Leave empty to take as many as the model makes."
        min={1}
        max={4096}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('dimensions')}
      />
      <SecretSelect
        label="Key"
        description="Sent as a bearer token. A secret that is restricted to MCP servers is refused."
        value={form.values.secret}
        onChange={(name) => form.setFieldValue('secret', name)}
        error={typeof form.errors['secret'] === 'string' ? form.errors['secret'] : undefined}
        suggestedName="EMBEDDING_API_KEY"
      />
    </>
  );
}

/** How the last thing ended that was done with the provider. */
const outcomeText = (checked: EmbeddingProviderCheck | undefined, wasSaved: boolean): string =>
  checked === undefined ? (wasSaved ? 'Saved.' : '') : checkText(checked);

function RemoveProvider({ onRemoved }: { onRemoved: () => void }) {
  const { slug } = useWorkspace();
  const [asking, dialog] = useDisclosure();
  const removal = useApiMutation({
    send: () => call(api.DELETE('/api/workspaces/{slug}/embedding-provider', { params: { path: { slug } } })),
    invalidates: [keys.secrets(slug), keys.embeddingProvider(slug)],
    onSuccess: onRemoved,
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Remove provider
      </Button>
      <RemovalDialog
        opened={asking}
        onClose={dialog.close}
        title="Remove the embedding provider?"
        confirmLabel="Remove"
        removal={removal}
      >
        <Text>
          Collections that it embedded stay, but agents cannot search them by text or add texts to them until
          a provider with the same model is set again.
        </Text>
      </RemovalDialog>
    </>
  );
}

/** What embeds the texts of the workspace's collections. */
export function EmbeddingPart() {
  const { slug } = useWorkspace();
  const query = useQuery({
    queryKey: keys.embeddingProvider(slug),
    queryFn: ({ signal }) =>
      call(api.GET('/api/workspaces/{slug}/embedding-provider', { params: { path: { slug } }, signal })),
  });
  return (
    <Card withBorder component="section" aria-label="Embedding provider">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Embedding provider
        </Title>
        <Text size="sm">
          Texts that agents store in collections are sent there to be turned into vectors. Without one, the
          platform compares texts by their spelling, not by their meaning, and sends them nowhere. A
          collection keeps the model that it was started with.
        </Text>
        <QueryState query={query} what="The embedding provider">
          {({ embedding_provider: provider }) => <EmbeddingForm provider={provider} />}
        </QueryState>
      </Stack>
    </Card>
  );
}
