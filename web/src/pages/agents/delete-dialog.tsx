import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Agent, RemovedWithAgent } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { removalText } from '../../text/removal-text.ts';

/** Deletes an agent, or names the sessions that block it. */
export function DeleteDialog({
  agent: { id, name },
  opened,
  onClose,
}: {
  agent: Agent;
  opened: boolean;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const counts = useQuery({
    queryKey: keys.agent(id, 'removal'),
    enabled: opened,
    queryFn: ({ signal }) =>
      call(api.GET('/api/agents/{agent_id}/removal', { params: { path: { agent_id: id } }, signal })),
  });
  const remove = useApiMutation({
    done: 'Agent deleted',
    send: () => call(api.DELETE('/api/agents/{agent_id}', { params: { path: { agent_id: id } } })),
    invalidates: [keys.agents(slug)],
    onSuccess: () => navigate(pathOf(slug, 'agents')),
  });
  return (
    <RemovalDialog
      opened={opened}
      onClose={onClose}
      title="Delete this agent?"
      confirmLabel="Delete agent"
      removal={remove}
      blocked={{
        title: 'Sessions of this agent are running. End them first:',
        pathOfUse: (session) => pathOf(slug, 'sessions', session),
      }}
    >
      <Text component="div">
        <VisibleText text={name} /> will be deleted, with its attachments and{' '}
        <Goes counts={counts.data?.removal} />. The audit trail is kept, without what it leads to. This cannot
        be undone. To keep all of it, archive the agent instead.
      </Text>
    </RemovalDialog>
  );
}

/** Before it is known how much that is, what it is. */
function Goes({ counts }: { counts: RemovedWithAgent | undefined }) {
  return counts === undefined ? 'its grants, requests and ended sessions' : removalText(counts);
}
