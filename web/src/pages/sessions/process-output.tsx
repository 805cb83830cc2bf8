/** The end of what a process wrote to stderr: its own words, which nobody has checked. Each reading is audited. */
import { Alert, Code, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { SessionProcess } from '../../api/types.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { FailedState, LoadingState } from '../../components/state-views.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { sizeText } from '../../text/size-text.ts';

export function ProcessOutput({
  process,
  sessionId,
  onClose,
}: {
  process: SessionProcess | null;
  sessionId: string;
  onClose: () => void;
}) {
  return (
    <Modal
      opened={process !== null}
      onClose={onClose}
      size="xl"
      title={`Output of ${process?.kind === 'agent' ? 'the agent' : (process?.name ?? '')}`}
    >
      {process === null ? null : <Output process={process} sessionId={sessionId} />}
    </Modal>
  );
}

function Output({ process: { kind, name }, sessionId }: { process: SessionProcess; sessionId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: keys.session(sessionId, 'output', kind, name),
    queryFn({ signal }) {
      const params = { path: { session_id: sessionId, kind, name } };
      return call(api.GET('/api/sessions/{session_id}/processes/{kind}/{name}/output', { params, signal }));
    },
    // Each reading is in the audit trail: it is read when somebody asks for it, and kept nowhere.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  if (data === undefined) {
    return error === null ? (
      <LoadingState />
    ) : (
      <FailedState error={error} retry={() => void refetch()} what="The output" />
    );
  }
  const { text, size_bytes: sizeBytes, written_bytes: writtenBytes, updated_at: at } = data.output;
  return (
    <Stack>
      <Alert color="yellow">
        In the words of <VisibleText text={name} />; nobody has checked them. The values of its secret
        variables are blacked out in the usual forms, and it may have written them in another. That you read
        this is in the audit trail.
      </Alert>
      <Text size="xs" c="dimmed">
        The last {sizeText(sizeBytes)} of {sizeText(writtenBytes)} that it wrote to stderr,{' '}
        <RelativeTime at={at} />
      </Text>
      <Code block mah={480} tabIndex={0} aria-label={`Output of ${name}`}>
        <VisibleText text={text} />
      </Code>
    </Stack>
  );
}
