import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import type { Repository } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useRepositories } from '../../api/use-repositories.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { SecretSelect } from '../../components/secret-select.tsx';

/** Repositories that agents of the workspace may be given. */
export function RepositoriesPart() {
  const { slug } = useWorkspace();
  const query = useRepositories(slug);
  return (
    <Card withBorder component="section" aria-label="Repositories">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Repositories
        </Title>
        <Text size="sm">
          Whoever may edit an agent can have its sessions begin with one of these, and see all of it. The
          platform fetches it with the secret; agents are given no credential. What an agent changed becomes a
          patch at the end of its session.
        </Text>
        <QueryState query={query} what="The repositories">
          {(repositories) => repositories.map((each) => <Registered key={each.name} repository={each} />)}
        </QueryState>
        <RegisterForm />
      </Stack>
    </Card>
  );
}

/** Agents, too: whether their sessions can start. */
const whatChanges = (slug: string) => [keys.repositories(slug), keys.secrets(slug), keys.agents(slug)];

function Registered({ repository: { name, host, path, credential } }: { repository: Repository }) {
  const { slug } = useWorkspace();
  const [isAsking, setAsking] = useState(false);
  const params = { path: { slug, name } };
  const removal = useApiMutation({
    send: () => call(api.DELETE('/api/workspaces/{slug}/repositories/{name}', { params })),
    invalidates: whatChanges(slug),
    onSuccess: () => setAsking(false),
  });
  return (
    <Group justify="space-between" wrap="wrap">
      <Text size="sm" className="text-block">
        {name}: https://{host}/{path}
        {credential === null ? '' : ` with ${credential}`}
      </Text>
      <Button variant="default" onClick={() => setAsking(true)} aria-label={`Remove the repository ${name}`}>
        Remove
      </Button>
      <RemovalDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Remove the repository ${name}?`}
        confirmLabel="Remove"
        removal={removal}
      >
        <Text>Sessions of agents that name it do not start any more. Those that run go on.</Text>
      </RemovalDialog>
    </Group>
  );
}

const nothing = { name: '', host: '', path: '', secret: '' };

function RegisterForm() {
  const { slug } = useWorkspace();
  const form = useForm({ initialValues: nothing });
  const save = useApiMutation({
    send: ({ name, host, path, secret }: typeof nothing) =>
      call(
        api.PUT('/api/workspaces/{slug}/repositories/{name}', {
          params: { path: { slug, name: name.trim() } },
          body: { host: host.trim(), path: path.trim(), credential: secret === '' ? null : `\${${secret}}` },
        }),
      ),
    invalidates: whatChanges(slug),
    onSuccess: () => form.reset(),
    onError: (error) =>
      form.setErrors(fieldErrors(error, (path) => (path === 'credential' ? 'secret' : path))),
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name of the repository"
          description="As agents name it. One that is registered is replaced."
          required
          {...form.getInputProps('name')}
        />
        <TextInput label="Host" placeholder="git.example.com" required {...form.getInputProps('host')} />
        <TextInput
          label="Path"
          description="A * stands for one name between slashes, which each agent chooses."
          placeholder="team/project"
          required
          {...form.getInputProps('path')}
        />
        <SecretSelect
          label="Credential"
          description="A token that may only read, or user:password. Leave empty for what everybody may read."
          value={form.values.secret}
          onChange={(name) => form.setFieldValue('secret', name)}
          error={typeof form.errors['secret'] === 'string' ? form.errors['secret'] : undefined}
          suggestedName="GIT_TOKEN"
        />
        <FailureAlert
          error={save.error}
          shownAtFields={['name', 'host', 'path', 'credential']}
          values={form.values}
        />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            Register repository
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
