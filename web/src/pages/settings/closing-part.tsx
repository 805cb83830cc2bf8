import { Button, Card, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { Workspace } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** The way to be done with a workspace; of a closed one the banner is the way back. */
export function ClosingPart({ workspace }: { workspace: Workspace }) {
  const [asking, dialog] = useDisclosure();
  if (workspace.closed_at !== null) {
    return null;
  }
  return (
    <Card withBorder>
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          Close this workspace
        </Title>
        <Text size="sm">
          Nothing begins here any more and what runs is ended. Members can still read everything, and admins
          can export the audit trail.
        </Text>
        <Button variant="danger" onClick={dialog.open}>
          Close workspace
        </Button>
      </Stack>
      {asking ? <CloseDialog workspace={workspace} onClose={dialog.close} /> : null}
    </Card>
  );
}

function CloseDialog({ workspace: { slug, name }, onClose }: { workspace: Workspace; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const closing = useApiMutation({
    send: () =>
      call(api.POST('/api/workspaces/{slug}/close', { params: { path: { slug } }, body: { name: typed } })),
    invalidates: stale.closing(slug),
    onSuccess: onClose,
  });
  const confirm = () => {
    setWrong(typed !== name);
    if (typed === name) {
      closing.mutate();
    }
  };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title="Close this workspace?"
      confirmLabel="Close workspace"
      onConfirm={confirm}
      pending={closing.isPending}
      error={closing.error}
      values={typed}
    >
      <Text component="div">
        All sessions of <VisibleText text={name} /> end. Its grants, people’s sign-ins at remote servers and
        the platform’s registrations there are revoked, its schedules pause, and its channels stop. An admin
        can reopen it for a time, which gives none of that back. Later it is removed permanently.
      </Text>
      <TextInput
        label="Name of the workspace"
        description={`Type "${name}" to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={isWrong && typed !== name ? 'This is not its name' : null}
        autoComplete="off"
      />
    </ConfirmDialog>
  );
}
