/** Says on every page of a closed workspace that it is, and lets admins reopen it. */
import { Button, Group, Text } from '@mantine/core';
import { api, call } from '../api/client.ts';
import { stale } from '../api/stale.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { Banner } from '../components/banner.tsx';
import { FailureAlert } from '../components/failure-alert.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { useWorkspace } from './signed-in.tsx';

export function ClosedBanner() {
  const { closed_at: closedAt, reopenable_until: until, isAdmin } = useWorkspace();
  if (closedAt === null || until === null) {
    return null;
  }
  return (
    <Banner tone="fail" title="This workspace is closed">
      <Group justify="space-between">
        <Text size="sm" component="div">
          Closed <RelativeTime at={closedAt} />. It can be read; nothing begins here, and nothing can be
          changed. It is removed permanently <RelativeTime at={until} />, unless an admin reopens it before.
        </Text>
        {isAdmin ? <ReopenButton /> : null}
      </Group>
    </Banner>
  );
}

function ReopenButton() {
  const { slug } = useWorkspace();
  const reopen = useApiMutation({
    send: () => call(api.POST('/api/workspaces/{slug}/reopen', { params: { path: { slug } }, body: {} })),
    invalidates: stale.closing(slug),
  });
  return (
    <>
      <Button variant="default" onClick={() => reopen.mutate()} loading={reopen.isPending}>
        Reopen
      </Button>
      <FailureAlert error={reopen.error} />
    </>
  );
}
