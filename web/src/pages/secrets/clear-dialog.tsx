import { Stack, Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
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
    done: 'Value cleared',
    send: () =>
      call(api.DELETE('/api/workspaces/{slug}/secrets/{name}', { params: { path: { slug, name } } })),
    invalidates: [keys.secrets(slug)],
    onRefetched: onClose,
  });
  return (
    <RemovalDialog
      opened={opened}
      onClose={onClose}
      title={`Clear the value of ${name}?`}
      confirmLabel="Clear value"
      removal={clear}
    >
      <Text>
        The value is destroyed and cannot be recovered. The name and everything that references it are kept.
        Running sessions keep the value until they end.
      </Text>
      <Effect uses={uses} />
    </RemovalDialog>
  );
}

function Effect({ uses }: { uses: Uses['uses'] | undefined }) {
  if (uses === undefined) {
    return (
      <Banner role="note" tone="wait">
        What uses this secret could not be loaded.
      </Banner>
    );
  }
  return uses.length === 0 ? (
    <Text>It is not in use.</Text>
  ) : (
    <Banner role="note" tone="fail" title="It is in use: these will not work until it is set again">
      <Stack mah={240} style={{ overflow: 'auto' }}>
        <UsesList uses={uses} />
      </Stack>
    </Banner>
  );
}
