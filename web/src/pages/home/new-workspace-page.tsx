import { Button, Center, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import { home, pathOf } from '../../app/paths.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { PageFrame } from '../../components/page-frame.tsx';

/** Whoever makes a workspace is its first admin. */
export default function NewWorkspacePage() {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { name: '', slug: '' } });
  const create = useMutation({
    mutationFn: (body: { name: string; slug: string }) => call(api.POST('/api/workspaces', { body })),
    onSuccess: async ({ workspace }) => {
      await queries.invalidateQueries({ queryKey: keys.me });
      navigate(pathOf(workspace.slug, 'sessions'));
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <Center component="main" p="md">
      <PageFrame title="New workspace" description="You will be its first admin.">
        <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
          <Stack>
            <TextInput label="Name" required {...form.getInputProps('name')} />
            <TextInput
              label="Slug"
              description="Part of every address: lowercase letters, digits and hyphens."
              required
              {...form.getInputProps('slug')}
            />
            <FailureAlert error={create.error} shownAtFields={['name', 'slug']} />
            <Group>
              <Button type="submit" loading={create.isPending}>
                Create
              </Button>
              <Button variant="default" onClick={() => navigate(home)}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
      </PageFrame>
    </Center>
  );
}
