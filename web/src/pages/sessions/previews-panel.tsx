import { Button, Card, Stack, Text, Title } from '@mantine/core';
import { keys } from '../../api/keys.ts';
import { usePreviews } from '../../api/use-previews.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PreviewTitle } from '../../components/preview-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { sizeText } from '../../text/size-text.ts';

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
        {list.items.map(({ id, title, size_bytes, expires_at }) => (
          <Stack key={id} component="li" gap={2} style={{ listStyle: 'none' }}>
            <Text size="sm" component="div" lineClamp={3}>
              <TextLink to={pathOf(slug, 'previews', id)}>
                <PreviewTitle title={title} />
              </TextLink>
            </Text>
            <Text size="xs" c="dimmed" component="div">
              {sizeText(size_bytes)} · expires <RelativeTime at={expires_at} />
            </Text>
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
