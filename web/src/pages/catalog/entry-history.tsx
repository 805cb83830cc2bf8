import { Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { AuditEvent } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
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
        <DataTable columns={['Version', 'Changes', 'When', 'By']}>
          {events.map((event) => (
            <VersionRow key={event.id} event={event} />
          ))}
        </DataTable>
      )}
    </ListState>
  );
}

function VersionRow({ event }: { event: AuditEvent }) {
  const { version, change } = versionText(event);
  return (
    <tr>
      <td>{version}</td>
      <td>{change}</td>
      <td>
        <RelativeTime at={event.at} />
      </td>
      <td>
        <PersonName id={event.actor.id} />
      </td>
    </tr>
  );
}
