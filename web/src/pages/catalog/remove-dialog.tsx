import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { keys } from '../../api/keys.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { InUseAlert } from '../../components/in-use-alert.tsx';

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
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      call(api.DELETE('/api/workspaces/{slug}/mcp-servers/{name}', { params: { path: { slug, name } } })),
    onSuccess: () => {
      navigate(pathOf(slug, 'catalog'));
      return queries.invalidateQueries({ queryKey: keys.mcpServers(slug) });
    },
  });
  const uses = remove.error instanceof ApiFailure ? remove.error.uses : [];
  return (
    <ConfirmDialog
      opened={opened}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title={`Remove ${name}?`}
      confirmLabel="Remove the server"
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={uses.length > 0 ? null : remove.error}
    >
      <Text>
        Agents cannot be attached to it any more. Sessions that run keep it until they end. Grants of its
        scopes stay, for other servers that name the same scopes.
      </Text>
      <InUseAlert
        title="It is in use. Detach it from these agents first:"
        uses={uses}
        pathOfUse={(agent) => pathOf(slug, 'agents', agent)}
      />
    </ConfirmDialog>
  );
}
