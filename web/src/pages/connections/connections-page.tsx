import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { Connection } from '../../api/types.ts';
import { home, pathOf } from '../../app/paths.ts';
import { CodeText } from '../../components/code-text.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { DisconnectDialog } from './disconnect-dialog.tsx';
import { useConnections } from './use-connections.ts';

/** Where the person is signed in, in all of their workspaces. Nobody else reads it. */
export function ConnectionsPage() {
  const [asked, setAsked] = useState<Connection | null>(null);
  return (
    <PageFrame
      title="Your connections"
      description="Remote MCP servers that you signed in to. Agents in sessions that you start act there as you; nobody else’s agents do, and no agent sees your tokens."
    >
      <TextLink to={home}>Go to home page</TextLink>
      <QueryState query={useConnections()} what="Your connections">
        {(connections) =>
          connections.length === 0 ? (
            <EmptyState
              title="No connections yet"
              text="When an agent that you start uses a remote MCP server where people sign in, its session asks you to. You can also connect before, on the server’s page under MCP servers."
            />
          ) : (
            <ConnectionsTable connections={connections} onDisconnect={setAsked} />
          )
        }
      </QueryState>
      <DisconnectDialog asked={asked} onClose={() => setAsked(null)} />
    </PageFrame>
  );
}

function ConnectionsTable({
  connections,
  onDisconnect,
}: {
  connections: Connection[];
  onDisconnect: (connection: Connection) => void;
}) {
  return (
    <DataTable
      label="Your connections"
      columns={['Server', 'Issuer', 'Scopes', 'Connected', 'Last used', { name: 'Actions', isHidden: true }]}
      minWidth={760}
    >
      {connections.map((connection) => (
        <Row key={connection.id} connection={connection} onDisconnect={onDisconnect} />
      ))}
    </DataTable>
  );
}

function Row({
  connection,
  onDisconnect,
}: {
  connection: Connection;
  onDisconnect: (connection: Connection) => void;
}) {
  const { workspace, mcp_server: server, issuer, scopes, created_at: at, used_at: usedAt } = connection;
  return (
    <tr>
      <td>
        <TextLink to={pathOf(workspace.slug, 'catalog', server)}>{server}</TextLink>
        <Text size="xs" c="dimmed" component="div">
          <VisibleText text={workspace.name} />
        </Text>
      </td>
      <td>
        <CodeText text={issuer} />
      </td>
      <td>{scopes.length === 0 ? 'none named' : <CodeText text={scopes.join(' ')} />}</td>
      <td>
        <RelativeTime at={at} />
      </td>
      <td>{usedAt === null ? 'never' : <RelativeTime at={usedAt} />}</td>
      <td>
        <Button
          size="xs"
          variant="default"
          aria-label={`Disconnect from ${server} in ${workspace.name}`}
          onClick={() => onDisconnect(connection)}
        >
          Disconnect
        </Button>
      </td>
    </tr>
  );
}
