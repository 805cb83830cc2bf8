import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PreviewTitle } from '../../components/preview-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useExpired } from '../../components/use-expired.ts';
import { contentText } from '../../text/preview-text.ts';
import type { PayloadOf } from './session-event-type.ts';

/** A preview in the transcript. It is opened on its own page, which says whether it still can be. */
export function DeployedPreview({ preview }: { preview: PayloadOf<'agent.preview'> }) {
  const { slug } = useWorkspace();
  const { preview_id: id, title, expires_at } = preview;
  const isExpired = useExpired(expires_at);
  return (
    <Group justify="space-between" gap="xs">
      <div>
        deployed the preview “<PreviewTitle title={title} />”
        <Text size="xs" c="dimmed" component="div">
          {contentText(preview)} · {isExpired ? 'expired' : 'expires'} <RelativeTime at={expires_at} /> ·
          {typeof preview.service === 'string' ? ' run for the agent' : ' written by the agent'}, not checked
        </Text>
      </div>
      <Button component={Link} href={pathOf(slug, 'previews', id)} size="compact-sm" variant="default">
        {isExpired ? 'Details' : 'Open…'}
      </Button>
    </Group>
  );
}
