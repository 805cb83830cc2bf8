import { Button, Table, VisuallyHidden } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { AuditEvent } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ListState } from '../../components/query-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { type AuditFilter, readFilter } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditRow } from './audit-row.tsx';
import { ExportButton } from './export-button.tsx';

/** Who changed what, and every tool call. What is shown and what is exported have the same filter. */
export function AuditPage() {
  const { slug } = useWorkspace();
  const [search] = useSearchParams();
  const filter = readFilter(search);
  const list = useAuditEvents(slug, filter);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <PageFrame
      title="Audit trail"
      description="Who changed what, and every tool call. Entries cannot be edited."
      actions={
        <>
          <Button variant="default" onClick={list.retry} loading={list.isFetching && !list.isLoadingMore}>
            Refresh
          </Button>
          <ExportButton filter={filter} />
        </>
      }
    >
      <AuditFilters filter={filter} />
      <ListState
        list={list}
        what="The audit trail"
        empty={
          <EmptyState
            title={isFiltered ? 'No matching events' : 'No events yet'}
            text={isFiltered ? 'Remove a filter to see more.' : undefined}
          />
        }
      >
        {(events) => <AuditTable events={events} />}
      </ListState>
    </PageFrame>
  );
}

function useAuditEvents(slug: string, filter: AuditFilter) {
  return useList<AuditEvent>({
    queryKey: keys.auditEvents(slug, filter),
    async fetchPage({ cursor, signal }) {
      const query = { ...filter, ...(cursor === undefined ? {} : { cursor }) };
      const page = await call(
        api.GET('/api/workspaces/{slug}/audit-events', { params: { path: { slug }, query }, signal }),
      );
      return { items: page.audit_events, next_cursor: page.next_cursor };
    },
  });
}

function AuditTable({ events }: { events: AuditEvent[] }) {
  const { nameOf } = useNames();
  return (
    <Table.ScrollContainer minWidth={900}>
      <Table verticalSpacing="xs" aria-label="Audit events" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={150}>When</Table.Th>
            <Table.Th>Event</Table.Th>
            <Table.Th w={180}>Actor</Table.Th>
            <Table.Th w={210}>Related</Table.Th>
            <Table.Th w={110}>
              <VisuallyHidden>Details</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <AuditRow key={event.id} event={event} nameOf={nameOf} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
