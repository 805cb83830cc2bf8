import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { maxShownName } from '../../../../contract/shown-name.ts';
import { api, call } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';

/** Gives a session another title; left empty, the first line of its prompt is it again. */
export function RenameDialog({
  session,
  opened,
  onClose,
}: {
  session: Session;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title="Rename this session">
      {opened ? <RenameForm session={session} onClose={onClose} /> : null}
    </Modal>
  );
}

function RenameForm({ session: { id, title }, onClose }: { session: Session; onClose: () => void }) {
  const { slug } = useWorkspace();
  const [text, setText] = useState([...title].slice(0, maxShownName).join(''));
  const rename = useApiMutation({
    send() {
      const body = { title: text.trim() === '' ? null : text };
      return call(api.PATCH('/api/sessions/{session_id}', { params: { path: { session_id: id } }, body }));
    },
    invalidates: [keys.session(id), keys.sessions(slug), keys.home(slug)],
    onRefetched: onClose,
    done: 'Session renamed',
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!rename.isPending) {
      rename.mutate();
    }
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Title"
          description="Left empty, the first line of the prompt is the title. The agent does not see it."
          maxLength={maxShownName}
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={fieldErrors(rename.error)['title']}
        />
        <FailureAlert error={rename.error} shownAtFields={['title']} values={text} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={rename.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
