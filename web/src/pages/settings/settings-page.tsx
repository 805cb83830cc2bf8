import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../api/settings-query.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ClosingPart } from './closing-part.tsx';
import { EmbeddingPart } from './embedding-form.tsx';
import { RepositoriesPart } from './repositories-part.tsx';
import { SettingsForm } from './settings-form.tsx';

export function SettingsPage() {
  const { slug } = useWorkspace();
  const query = useQuery(settingsQuery(slug));
  return (
    <PageFrame width="form" title="Settings" description="Settings of the whole workspace.">
      <QueryState query={query} what="The settings">
        {({ workspace }) => (
          <Stack>
            <SettingsForm workspace={workspace} />
            <EmbeddingPart />
            <RepositoriesPart />
            <ClosingPart workspace={workspace} />
            <Text size="sm" c="dimmed" component="div">
              Slug {slug}: part of the URL, cannot be changed. Created{' '}
              <RelativeTime at={workspace.created_at} />, updated <RelativeTime at={workspace.updated_at} />.
              ID <CopyableId id={workspace.id} />
            </Text>
          </Stack>
        )}
      </QueryState>
    </PageFrame>
  );
}
