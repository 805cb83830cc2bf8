import { List, Text } from '@mantine/core';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Connection } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { CodeText } from '../../components/code-text.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';

/** Says what ends with a connection before it does. `asked` is null while nothing is asked. */
export function DisconnectDialog({ asked, onClose }: { asked: Connection | null; onClose: () => void }) {
  // What is shown stays while the dialog closes.
  const [last, setLast] = useState(asked);
  if (asked !== null && asked !== last) {
    setLast(asked);
  }
  const disconnect = useApiMutation({
    done: 'Connection removed',
    async send() {
      if (asked !== null) {
        const params = { path: { connection_id: asked.id } };
        await call(api.DELETE('/api/me/connections/{connection_id}', { params }));
      }
    },
    onSuccess: onClose,
    invalidates: [keys.connections],
    invalidatesOnError: [keys.connections],
  });
  return (
    <RemovalDialog
      opened={asked !== null}
      onClose={onClose}
      title={`Disconnect from ${last?.mcp_server}?`}
      confirmLabel="Disconnect"
      removal={disconnect}
    >
      <List size="sm" spacing="xs">
        <List.Item>
          Running sessions that you started lose access within seconds: their next call of this server asks
          you to sign in again.
        </List.Item>
        <List.Item>
          Within minutes your tokens are revoked at{' '}
          {last === null ? 'the server' : <CodeText text={last.issuer} />}, if it lets the platform do so, and
          erased here.
        </List.Item>
      </List>
      <Text size="sm">What agents did there as you is not undone.</Text>
    </RemovalDialog>
  );
}
