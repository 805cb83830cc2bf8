import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { usePreviewOfSession } from '../../api/use-previews.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PreviewTitle } from '../../components/preview-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useExpired } from '../../components/use-expired.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { contentText, hasStopped, overAt, overWord } from '../../text/preview-text.ts';
import type { PayloadOf } from './session-event-type.ts';
import { useTranscript } from './transcript-context.ts';

/** A preview in the transcript, as it is now. It is opened on its own page. */
export function DeployedPreview({ preview }: { preview: PayloadOf<'agent.preview'> }) {
  const { slug } = useWorkspace();
  const { sessionId } = useTranscript();
  const { preview_id: id, title, expires_at } = preview;
  const isExpired = useExpired(expires_at);
  const known = usePreviewOfSession(id, sessionId);
  const over = known !== undefined && (isExpired || !known.is_live || hasStopped(known)) ? known : null;
  const reason = over?.service_status?.reason ?? null;
  return (
    <Group justify="space-between" gap="xs">
      <div>
        deployed the preview “<PreviewTitle title={title} />”
        <Text size="xs" c="dimmed" component="div">
          {contentText(preview)} · {over === null ? (isExpired ? 'expired' : 'expires') : overWord(over)}{' '}
          <RelativeTime at={over === null ? expires_at : overAt(over)} /> ·
          {preview.service === null ? ' written by the agent' : ' run for the agent'}, not checked
        </Text>
        {reason === null ? null : (
          <Text size="xs" component="div">
            <VisibleText text={reason} />
          </Text>
        )}
      </div>
      <Button component={Link} href={pathOf(slug, 'previews', id)} size="compact-sm" variant="default">
        {known === undefined || over !== null ? 'Details' : 'Open…'}
      </Button>
    </Group>
  );
}
