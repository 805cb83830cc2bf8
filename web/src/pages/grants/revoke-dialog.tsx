import { List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Grant } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { labelOfType, revokeMeaning } from './grant-text.ts';
import { Holder, Matter } from './grants-table.tsx';

/** Says what stops at once, and what does not. */
export function RevokeDialog({ grant, onClose }: { grant: Grant; onClose: () => void }) {
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      call(
        api.DELETE('/api/workspaces/{slug}/grants/{grant_id}', {
          params: { path: { slug, grant_id: grant.id } },
        }),
      ),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: keys.grants(slug) });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title="Revoke this grant?"
      confirmLabel="Revoke"
      onConfirm={() => revoke.mutate()}
      pending={revoke.isPending}
      error={revoke.error}
    >
      <Text>
        {labelOfType(grant.grant_type)}: <Matter grant={grant} />, held by <Holder grant={grant} />. It cannot
        be undone; a new grant can be made.
      </Text>
      <List spacing="xs">
        {revokeMeaning(grant.grant_type).map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </ConfirmDialog>
  );
}
