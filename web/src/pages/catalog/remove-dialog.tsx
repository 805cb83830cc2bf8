import { Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';

/** Removes an entry, or names the agents that block it. */
export function RemoveDialog({
  name,
  opened,
  onClose,
}: {
  name: string;
  opened: boolean;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const remove = useApiMutation({
    done: 'Server removed',
    send: () =>
      call(api.DELETE('/api/workspaces/{slug}/mcp-servers/{name}', { params: { path: { slug, name } } })),
    invalidates: stale.entry(slug),
    onSuccess: () => navigate(pathOf(slug, 'catalog')),
  });
  return (
    <RemovalDialog
      opened={opened}
      onClose={onClose}
      title={`Remove ${name}?`}
      confirmLabel="Remove server"
      removal={remove}
      blocked={{
        title: 'It is in use. Detach it from these agents first:',
        pathOfUse: (agent) => pathOf(slug, 'agents', agent),
      }}
    >
      <Text>
        It can no longer be attached to agents. Running sessions keep it until they end. Grants of its scopes
        are kept for other servers with the same scopes.
      </Text>
    </RemovalDialog>
  );
}
