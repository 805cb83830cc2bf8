/**
 * The end of what a process wrote to stderr: its own words, which nobody has checked.
 * Each reading is audited.
 */
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { SessionProcess } from '../../api/types.ts';
import { readOnRequest, WrittenOutput } from '../../components/written-output.tsx';

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
  const output = useQuery({
    queryKey: keys.session(sessionId, 'output', kind, name),
    queryFn({ signal }) {
      const params = { path: { session_id: sessionId, kind, name } };
      return call(api.GET('/api/sessions/{session_id}/processes/{kind}/{name}/output', { params, signal }));
    },
    ...readOnRequest,
  });
  return <WrittenOutput name={name} query={output} />;
}
