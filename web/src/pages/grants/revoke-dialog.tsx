import { List, Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Grant } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { Holder, Matter } from './grant-names.tsx';
import { labelOfType, revokeMeaning } from './grant-text.ts';

/** Says what stops at once, and what does not. Open while there is a grant to revoke. */
export function RevokeDialog({ grant, onClose }: { grant: Grant | null; onClose: () => void }) {
  const { slug } = useWorkspace();
  const revoke = useApiMutation({
    done: 'Grant revoked',
    send: () =>
      call(
        api.DELETE('/api/workspaces/{slug}/grants/{grant_id}', {
          params: { path: { slug, grant_id: grant?.id ?? '' } },
        }),
      ),
    invalidates: [keys.grants(slug)],
    onRefetched: onClose,
  });
  return (
    <RemovalDialog
      opened={grant !== null}
      onClose={onClose}
      title="Revoke this grant?"
      confirmLabel="Revoke"
      removal={revoke}
    >
      {grant === null ? null : <Consequences grant={grant} />}
    </RemovalDialog>
  );
}

function Consequences({ grant }: { grant: Grant }) {
  return (
    <>
      <Text>
        {labelOfType(grant.grant_type)}: <Matter grant={grant} />, granted to <Holder grant={grant} />. This
        cannot be undone, but you can create a new grant.
      </Text>
      <List spacing="xs">
        {revokeMeaning(grant.grant_type).map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </>
  );
}
