import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { keys } from '../../api/keys.ts';
import { usePreviews } from '../../api/use-previews.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PreviewTitle } from '../../components/preview-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ServiceState } from '../../components/service-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { contentText } from '../../text/preview-text.ts';

/** The live previews of the session. Nothing where there are none. */
export function PreviewsPanel({ sessionId }: { sessionId: string }) {
  const { slug } = useWorkspace();
  const list = usePreviews(keys.previews(slug, sessionId), { sessionId });
  return list.items === undefined || list.items.length === 0 ? null : (
    <Card withBorder padding="sm" component="section" aria-label="Previews">
      <Title order={2} size="h5" mb="xs">
        Previews
      </Title>
      <Stack gap="sm" component="ul" m={0} p={0}>
        {list.items.map((preview) => (
          <Stack key={preview.id} component="li" gap={2} style={{ listStyle: 'none' }}>
            <Text size="sm" component="div" lineClamp={3}>
              <TextLink to={pathOf(slug, 'previews', preview.id)}>
                <PreviewTitle title={preview.title} />
              </TextLink>
            </Text>
            <Group gap="xs">
              <Text size="xs" c="dimmed" component="div">
                {contentText(preview)} · expires <RelativeTime at={preview.expires_at} />
              </Text>
              <ServiceState preview={preview} isLive={preview.is_live} />
            </Group>
          </Stack>
        ))}
      </Stack>
      {list.hasMore ? (
        <Button size="xs" variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
          Load more
        </Button>
      ) : null}
    </Card>
  );
}
