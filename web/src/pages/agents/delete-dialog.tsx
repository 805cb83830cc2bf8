import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { keys } from '../../api/keys.ts';
import type { Agent } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { InUseAlert } from '../../components/in-use-alert.tsx';
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
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(api.DELETE('/api/agents/{agent_id}', { params: { path: { agent_id: id } } })),
    onSuccess: () => {
      navigate(pathOf(slug, 'agents'));
      return queries.invalidateQueries({ queryKey: keys.agents(slug) });
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
      title="Delete the agent?"
      confirmLabel="Delete the agent"
      onConfirm={() => remove.mutate()}
      pending={remove.isPending}
      error={uses.length > 0 ? null : remove.error}
    >
      <Text component="div">
        <VisibleText text={name} /> goes with its attachments, its grants and its ended sessions. The audit
        trail stays. This cannot be undone.
      </Text>
      <InUseAlert
        title="Sessions of it are running. End these first:"
        uses={uses}
        pathOfUse={(session) => pathOf(slug, 'sessions', session)}
      />
    </ConfirmDialog>
  );
}
