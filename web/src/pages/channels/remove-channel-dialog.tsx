import { Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';

export function RemoveChannelDialog({
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
    done: 'Channel removed',
    send: () =>
      call(api.DELETE('/api/workspaces/{slug}/channels/{name}', { params: { path: { slug, name } } })),
    // Not the channel itself, which is not there to be read again.
    invalidates: [keys.channels(slug, 'all'), keys.channelMessages(slug), keys.secrets(slug)],
    onSuccess: () => navigate(pathOf(slug, 'channels')),
  });
  return (
    <RemovalDialog
      opened={opened}
      onClose={onClose}
      title={`Remove ${name}?`}
      confirmLabel="Remove channel"
      removal={remove}
    >
      <Text>
        Agents can no longer post to it, and messages that wait are not delivered. The secret with its URL is
        kept.
      </Text>
    </RemovalDialog>
  );
}
