import { Card, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { EmbeddingForm } from './embedding-form.tsx';

/** What embeds the texts of the workspace's collections. */
export function EmbeddingPart() {
  const { slug } = useWorkspace();
  const query = useQuery({
    queryKey: keys.embeddingProvider(slug),
    queryFn: ({ signal }) =>
      call(api.GET('/api/workspaces/{slug}/embedding-provider', { params: { path: { slug } }, signal })),
  });
  return (
    <Card withBorder component="section" aria-label="Embedding provider">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Embedding provider
        </Title>
        <Text size="sm">
          Texts that agents store in collections are sent there to be turned into vectors. Without one, the
          platform compares texts by their spelling, not by their meaning, and sends them nowhere. A
          collection keeps the model that it was started with.
        </Text>
        <QueryState query={query} what="The embedding provider">
          {({ embedding_provider: provider }) => <EmbeddingForm provider={provider} />}
        </QueryState>
      </Stack>
    </Card>
  );
}
