import { Button, Center, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { home, pathOf } from '../../app/paths.ts';
import { useMe } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { slugOf } from './slug-of.ts';

/** The creator of a workspace is its first admin. A person without a workspace starts here. */
export default function NewWorkspacePage() {
  const [, navigate] = useLocation();
  const { user, workspaces } = useMe();
  const [joined] = workspaces;
  const [cameWithNone] = useState(joined === undefined);
  const form = useForm({
    initialValues: { name: '', slug: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name' : null),
      slug: (slug) => (slug.trim() === '' ? 'Enter a slug' : null),
    },
  });
  const create = useApiMutation({
    send: (body: { name: string; slug: string }) => call(api.POST('/api/workspaces', { body })),
    invalidates: [keys.me],
    onRefetched: ({ workspace }) => navigate(pathOf(workspace.slug, 'home')),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const wasAdded = cameWithNone && joined !== undefined && !create.isPending && !create.isSuccess;
  const rename = (name: string) => {
    // The slug follows the name until the person edits it.
    const follows = form.values.slug === slugOf(form.values.name);
    form.setValues(follows ? { name, slug: slugOf(name) } : { name });
  };
  return (
    <Center component="main" p="md">
      <PageFrame
        width="form"
        title="New workspace"
        description="A separate place for agents, with its own members, secrets and grants. You will be its first admin."
      >
        {workspaces.length > 0 ? null : (
          <Banner title="You are not in a workspace">
            To join an existing workspace, send its admin your e-mail address, {user.email}, or your user ID{' '}
            <CopyableId id={user.id} />, and wait here until you are added. Or create one below. If you were
            in a workspace before, your identity provider may name you differently now: ask who runs this
            platform.
          </Banner>
        )}
        {wasAdded ? (
          <Banner title="You have been added">
            <TextLink to={pathOf(joined.slug, 'home')}>
              Go to <VisibleText text={joined.name} />
            </TextLink>
          </Banner>
        ) : null}
        <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
          <Stack>
            <FormDraft form={form} slug="_" name="new workspace" save={create} />
            <TextInput
              label="Name"
              required
              {...form.getInputProps('name')}
              onChange={(event) => rename(event.currentTarget.value)}
            />
            <TextInput
              label="Slug"
              description="Part of the URL: lowercase letters, digits and hyphens. It cannot be changed later."
              required
              {...form.getInputProps('slug')}
            />
            <FailureAlert error={create.error} shownAtFields={['name', 'slug']} values={form.values} />
            <Group>
              <Button type="submit" loading={create.isPending}>
                Create workspace
              </Button>
              {workspaces.length === 0 ? null : (
                <Button variant="default" onClick={() => navigate(home)}>
                  Cancel
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </PageFrame>
    </Center>
  );
}
