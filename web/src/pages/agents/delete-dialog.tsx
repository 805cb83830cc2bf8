import { Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Agent } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

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
  const remove = useApiMutation({
    send: () => call(api.DELETE('/api/agents/{agent_id}', { params: { path: { agent_id: id } } })),
    invalidates: [keys.agents(slug)],
    onSuccess: () => navigate(pathOf(slug, 'agents')),
  });
  return (
    <RemovalDialog
      opened={opened}
      onClose={onClose}
      title="Delete the agent?"
      confirmLabel="Delete the agent"
      removal={remove}
      blocked={{
        title: 'Sessions of it are running. End these first:',
        pathOfUse: (session) => pathOf(slug, 'sessions', session),
      }}
    >
      <Text component="div">
        <VisibleText text={name} /> goes with its attachments, its grants and its ended sessions. The audit
        trail stays. This cannot be undone.
      </Text>
    </RemovalDialog>
  );
}
