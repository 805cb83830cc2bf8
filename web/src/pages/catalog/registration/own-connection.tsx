import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../../../api/client.ts';
import { useApiMutation } from '../../../api/use-api-mutation.ts';
import { authorizationOf } from '../../../app/paths.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { FailureAlert } from '../../../components/failure-alert.tsx';
import { QueryState } from '../../../components/query-state.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { DisconnectDialog } from '../../connections/disconnect-dialog.tsx';
import { useConnections } from '../../connections/use-connections.ts';

/**
 * Whether the person is signed in to the remote server, and the way to be, or no more. Others'
 * connections are nobody's business.
 */
export function OwnConnection({ name, isReady }: { name: string; isReady: boolean }) {
  const { slug } = useWorkspace();
  const [asked, setAsked] = useState(false);
  return (
    <QueryState query={useConnections()} what="Your connection">
      {(connections) => {
        const own = connections.find(
          ({ workspace, mcp_server: server }) => workspace.slug === slug && server === name,
        );
        return own === undefined ? (
          <Connect name={name} isReady={isReady} />
        ) : (
          <Group gap="xs" role="group" aria-label="Your connection">
            <Text size="sm" component="div">
              You connected <RelativeTime at={own.created_at} />: agents in sessions that you start act as you
              there.
            </Text>
            <Button size="xs" variant="default" onClick={() => setAsked(true)}>
              Disconnect
            </Button>
            <DisconnectDialog asked={asked ? own : null} onClose={() => setAsked(false)} />
          </Group>
        );
      }}
    </QueryState>
  );
}

function Connect({ name, isReady }: { name: string; isReady: boolean }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const connect = useApiMutation({
    send: () =>
      call(
        api.POST('/api/workspaces/{slug}/mcp-servers/{name}/connect', { params: { path: { slug, name } } }),
      ),
    onSuccess: ({ authorization }) => navigate(authorizationOf(authorization.id)),
  });
  return (
    <>
      <FailureAlert error={connect.error} />
      <Group gap="xs" role="group" aria-label="Your connection">
        <Text size="sm">
          You are not connected. {isReady ? 'A session that needs it asks you to sign in; or do it now.' : ''}
        </Text>
        {isReady ? (
          <Button size="xs" variant="default" loading={connect.isPending} onClick={() => connect.mutate()}>
            Connect
          </Button>
        ) : null}
      </Group>
    </>
  );
}
