import { Button, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { endsTooText, type RunningBelow } from './session-tree.ts';

export function TerminateButton({ session, running }: { session: Session; running: RunningBelow }) {
  const { slug } = useWorkspace();
  const [opened, dialog] = useDisclosure();
  const [reason, setReason, forgetDraft] = useDraft(`end of ${session.id}`, '');
  const terminate = useApiMutation({
    send() {
      const params = { path: { session_id: session.id } };
      const body = reason.trim() === '' ? {} : { reason: reason.trim() };
      return call(api.POST('/api/sessions/{session_id}/terminate', { params, body }));
    },
    invalidates: [keys.session(session.id), keys.sessions(slug)],
    onSuccess() {
      forgetDraft();
      dialog.close();
    },
  });
  return (
    <>
      <Button variant="danger" onClick={dialog.open}>
        Stop
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={dialog.close}
        title="Stop this session?"
        confirmLabel="Stop"
        onConfirm={() => terminate.mutate()}
        pending={terminate.isPending}
        error={terminate.error}
        values={reason}
      >
        <Stack gap="sm">
          <Text size="sm">
            The agent and its servers are stopped. Open requests are cancelled, and grants for this session
            end. The transcript and the artifacts are kept.
          </Text>
          {running.count === 0 ? null : (
            <Text size="sm" fw={600}>
              {endsTooText(running)}
            </Text>
          )}
          <Textarea
            label="Reason"
            description="Optional. Stored with the session."
            maxLength={2000}
            autosize
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
