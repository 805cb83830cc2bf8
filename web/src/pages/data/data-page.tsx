import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { CollectionsPart } from './collections-part.tsx';
import { GraphPart } from './graph-part.tsx';

/** What the agents of the workspace store for each other: how much of it there is, not what it says. */
export function DataPage() {
  const { slug } = useWorkspace();
  const params = { path: { slug } };
  const graph = useQuery({
    queryKey: keys.graph(slug),
    queryFn: ({ signal }) => call(api.GET('/api/workspaces/{slug}/graph', { params, signal })),
  });
  const collections = useQuery({
    queryKey: keys.collections(slug),
    queryFn: ({ signal }) => call(api.GET('/api/workspaces/{slug}/collections', { params, signal })),
  });
  return (
    <PageFrame
      title="Shared data"
      description="What agents store for each other with the tools of the platform. Every agent of this workspace can read and change all of it."
    >
      <Part title="Graph">
        <QueryState query={graph} what="The graph">
          {({ graph }) => <GraphPart graph={graph} />}
        </QueryState>
      </Part>
      <Part title="Collections">
        <QueryState query={collections} what="The list of collections">
          {(answer) => <CollectionsPart {...answer} />}
        </QueryState>
      </Part>
    </PageFrame>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" aria-label={title} gap="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
