import { Button, Stack, Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { useConfiguration } from './use-configuration.ts';

/**
 * Asks for the patch of a running session that has a repository. It comes as an artifact, with which a new
 * button is shown; the transcript says why where there is none.
 */
export function PatchButton({ sessionId }: { sessionId: string }) {
  const { data } = useConfiguration(sessionId);
  const ask = useApiMutation({
    send() {
      const params = { path: { session_id: sessionId } };
      return call(api.POST('/api/sessions/{session_id}/patch', { params }));
    },
  });
  return data?.configuration.agent.repository === undefined ? null : (
    <Stack gap={4} mt="sm" align="flex-start">
      <Button size="compact-sm" variant="default" loading={ask.isPending} onClick={() => ask.mutate()}>
        Get patch now
      </Button>
      <Text size="xs" c="dimmed" role="status">
        {ask.isSuccess
          ? 'Asked for. It comes as an artifact, or the transcript says why there is none.'
          : 'What the agent has changed in the repository so far. It works on meanwhile.'}
      </Text>
      <FailureAlert error={ask.error} takesFocus={false} />
    </Stack>
  );
}
