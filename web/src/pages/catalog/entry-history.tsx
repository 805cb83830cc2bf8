import { Table, Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { AuditEvent } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { ListState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { versionText } from './version-text.ts';

interface VersionQuery {
  event: 'workspace.mcp.registered' | 'workspace.mcp.updated';
  cursor?: string;
}

/** Who made which version when, by the audit trail; for admins. */
export function EntryHistory({ id }: { id: string }) {
  const { slug } = useWorkspace();
  const list = useList<AuditEvent>({
    queryKey: keys.mcpServers(slug, 'history', id),
    async fetchPage({ cursor, signal }) {
      const read = async (query: VersionQuery) => {
        const params = { path: { slug }, query: { resource: id, ...query } };
        return await call(api.GET('/api/workspaces/{slug}/audit-events', { params, signal }));
      };
      const updates = await read({
        event: 'workspace.mcp.updated',
        ...(cursor === undefined ? {} : { cursor }),
      });
      // The registration comes last: no event of an entry is older.
      const first =
        updates.next_cursor === null ? (await read({ event: 'workspace.mcp.registered' })).audit_events : [];
      return { items: [...updates.audit_events, ...first], next_cursor: updates.next_cursor };
    },
  });
  return (
    <ListState
      list={list}
      what="The versions"
      empty={<Text c="dimmed">No versions in the audit trail.</Text>}
    >
      {(events) => (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Changes</Table.Th>
              <Table.Th>When</Table.Th>
              <Table.Th>By</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {events.map((event) => (
              <VersionRow key={event.id} event={event} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </ListState>
  );
}

function VersionRow({ event }: { event: AuditEvent }) {
  const { version, change } = versionText(event);
  return (
    <Table.Tr>
      <Table.Td>{version}</Table.Td>
      <Table.Td>{change}</Table.Td>
      <Table.Td>
        <RelativeTime at={event.at} />
      </Table.Td>
      <Table.Td>
        <PersonName id={event.actor.id} />
      </Table.Td>
    </Table.Tr>
  );
}
