import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api, call } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import type { ListedMember } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { isUserId, meaningOfRole } from './role-text.ts';

interface Values {
  /** An e-mail address, or the user id, which each person finds in their own menu. */
  who: string;
  role: ListedMember['role'];
}

/** `members` are those that are there already: naming one by id would change their role. */
export function AddMemberDialog({ members, onClose }: { members: ListedMember[]; onClose: () => void }) {
  const { slug } = useWorkspace();
  const form = useForm<Values>({
    initialValues: { who: '', role: 'member' },
    validate: {
      who: (who) =>
        who.trim() === ''
          ? 'Enter an e-mail address or user ID'
          : members.some(({ user }) => user.id === who.trim().toLowerCase())
            ? 'Already a member of this workspace'
            : null,
    },
  });
  const add = useApiMutation({
    send: (values: Values) => send(slug, values),
    invalidates: [keys.members(slug)],
    onSuccess: onClose,
    onError: (error) => form.setErrors(fieldErrors(error, (path) => (path === 'email' ? 'who' : path))),
  });
  return (
    <Modal opened onClose={onClose} title="Add member" closeOnClickOutside={!form.isDirty()}>
      <form onSubmit={form.onSubmit((values) => add.mutate(values))} noValidate>
        <Stack>
          <FormDraft form={form} slug={slug} name="new member" save={add} />
          <TextInput
            label="E-mail address or user ID"
            description="They must have signed in at least once. Their user ID is in the menu under their name."
            autoComplete="off"
            required
            data-autofocus
            {...form.getInputProps('who')}
          />
          <Radio.Group label="Role" {...form.getInputProps('role')}>
            <Stack gap="xs" mt="xs">
              <Radio value="member" label="Member" description={meaningOfRole.member} />
              <Radio value="admin" label="Admin" description={meaningOfRole.admin} />
            </Stack>
          </Radio.Group>
          <FailureAlert error={add.error} shownAtFields={['email', 'role']} values={form.values} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function send(slug: string, { who, role }: Values): Promise<{ member: ListedMember }> {
  const named = who.trim();
  if (isUserId(named)) {
    const path = { slug, user_id: named };
    return call(api.PUT('/api/workspaces/{slug}/members/{user_id}', { params: { path }, body: { role } }));
  }
  const body = { email: named, role };
  return call(api.POST('/api/workspaces/{slug}/members', { params: { path: { slug } }, body }));
}
