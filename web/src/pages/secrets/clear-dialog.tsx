import { Alert, Stack, Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import type { Uses } from './secret-uses.ts';
import { UsesList } from './uses-list.tsx';

/** Destroys the value, after saying whom that stops. `uses` is undefined when they could not be read. */
export function ClearDialog({
  name,
  uses,
  opened,
  onClose,
}: {
  name: string;
  uses: Uses['uses'] | undefined;
  opened: boolean;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const clear = useApiMutation({
    send: () =>
      call(api.DELETE('/api/workspaces/{slug}/secrets/{name}', { params: { path: { slug, name } } })),
    invalidates: [keys.secrets(slug)],
    onRefetched: onClose,
  });
  return (
    <RemovalDialog
      opened={opened}
      onClose={onClose}
      title={`Clear ${name}?`}
      confirmLabel="Clear the value"
      removal={clear}
    >
      <Text>
        The value is destroyed and cannot be brought back. The name stays, and so does everything that refers
        to it. Sessions that run keep the value until they end.
      </Text>
      <Effect uses={uses} />
    </RemovalDialog>
  );
}

function Effect({ uses }: { uses: Uses['uses'] | undefined }) {
  if (uses === undefined) {
    return (
      <Alert role="note" color="yellow">
        It is not known what uses this secret.
      </Alert>
    );
  }
  return uses.length === 0 ? (
    <Text>Nothing uses it.</Text>
  ) : (
    <Alert
      role="note"
      variant="outline"
      color="red"
      title="It is in use: sessions of these will not start until it is set again"
    >
      <Stack mah={240} style={{ overflow: 'auto' }}>
        <UsesList uses={uses} />
      </Stack>
    </Alert>
  );
}
