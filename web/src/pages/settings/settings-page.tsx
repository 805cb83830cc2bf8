import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SettingsForm } from './settings-form.tsx';

export function SettingsPage() {
  const { slug } = useWorkspace();
  const query = useQuery({
    queryKey: keys.settings(slug),
    queryFn: ({ signal }) => call(api.GET('/api/workspaces/{slug}', { params: { path: { slug } }, signal })),
  });
  return (
    <PageFrame title="Settings" description="What holds for the whole workspace.">
      <QueryState query={query} what="The settings">
        {({ workspace }) => (
          <Stack maw={720}>
            <SettingsForm workspace={workspace} />
            <Text size="sm" c="dimmed" component="div">
              Slug {slug}: part of every address, it cannot be changed. Created{' '}
              <RelativeTime at={workspace.created_at} />, changed last{' '}
              <RelativeTime at={workspace.updated_at} />. Id <CopyableId id={workspace.id} />
            </Text>
          </Stack>
        )}
      </QueryState>
    </PageFrame>
  );
}
