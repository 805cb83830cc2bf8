import { Button, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Connection } from '../../api/types.ts';
import { home, pathOf } from '../../app/paths.ts';
import { CodeText } from '../../components/code-text.tsx';
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
      description="Remote MCP servers that you signed in to. Agents in sessions that you drive act there as you; nobody else’s agents do, and no agent sees your tokens."
    >
      <TextLink to={home}>Go to home page</TextLink>
      <QueryState query={useConnections()} what="Your connections">
        {(connections) =>
          connections.length === 0 ? (
            <EmptyState
              title="No connections yet"
              text="When an agent that you drive uses a remote MCP server where people sign in, its session asks you to. You can also connect before, on the server’s page in the MCP catalog."
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
    <Table.ScrollContainer minWidth={760}>
      <Table verticalSpacing="sm" aria-label="Your connections">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Server</Table.Th>
            <Table.Th>Issuer</Table.Th>
            <Table.Th>Scopes</Table.Th>
            <Table.Th>Connected</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {connections.map((connection) => (
            <Row key={connection.id} connection={connection} onDisconnect={onDisconnect} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
    <Table.Tr>
      <Table.Td>
        <TextLink to={pathOf(workspace.slug, 'catalog', server)}>{server}</TextLink>
        <Text size="xs" c="dimmed" component="div">
          <VisibleText text={workspace.name} />
        </Text>
      </Table.Td>
      <Table.Td maw={260}>
        <CodeText text={issuer} />
      </Table.Td>
      <Table.Td maw={200}>
        {scopes.length === 0 ? 'none named' : <CodeText text={scopes.join(' ')} />}
      </Table.Td>
      <Table.Td>
        <RelativeTime at={at} />
      </Table.Td>
      <Table.Td>{usedAt === null ? 'never' : <RelativeTime at={usedAt} />}</Table.Td>
      <Table.Td>
        <Button
          size="xs"
          variant="default"
          aria-label={`Disconnect from ${server} in ${workspace.name}`}
          onClick={() => onDisconnect(connection)}
        >
          Disconnect
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
