import { Alert, Button, Group, Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';

/** Says that this session's permission requests are muted, and offers to unmute them. */
export function MuteNotice({ session }: { session: Session }) {
  const unmute = useApiMutation({
    send() {
      const params = { path: { session_id: session.id } };
      return call(
        api.PATCH('/api/sessions/{session_id}', { params, body: { permission_requests_muted: false } }),
      );
    },
    invalidates: [keys.session(session.id)],
  });
  return session.permission_requests_muted ? (
    <Alert color="yellow" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <b>Muted:</b> permission requests of this session are refused immediately.
        </Text>
        {session.may_mute ? (
          <Button size="xs" variant="default" loading={unmute.isPending} onClick={() => unmute.mutate()}>
            Unmute
          </Button>
        ) : null}
      </Group>
      <FailureAlert error={unmute.error} />
    </Alert>
  ) : null;
}
