import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { AuditEvent } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useList } from '../../api/use-list.ts';
import { useNames } from '../../api/use-names.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ListState } from '../../components/query-state.tsx';
import { EmptyState, StateView } from '../../components/state-views.tsx';
import { ViewLinks } from '../../components/view-links.tsx';
import { type AuditFilter, exportName, kindLabel, readFilter, withPart } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditRow } from './audit-row.tsx';
import { exportEvents } from './export-events.ts';

/** Who changed what, and every tool call. What is shown and what is exported have the same filter. */
export function AuditPage() {
  const { slug } = useWorkspace();
  const [search] = useSearchParams();
  const filter = readFilter(search);
  const list = useAuditEvents(slug, filter);
  const counts = useCounts(slug, filter);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <PageFrame
      title="Audit trail"
      width="list"
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
      <ViewLinks
        label="Which entries"
        shown={filter.kind ?? 'everything'}
        views={[['everything', 'Everything'], ...Object.entries(kindLabel)].map(
          ([name = '', label = '']) => ({
            name,
            label,
            to: `${pathOf(slug, 'audit')}?${withPart(search, 'kind', name === 'everything' ? null : name)}`,
          }),
        )}
      />
      <AuditFilters filter={filter} counts={counts.data?.counts} />
      <ListState
        list={list}
        what="The audit trail"
        empty={
          list.hasMore ? (
            <StateView
              title="No match so far"
              text="The entries that were looked at have none. Older ones may."
            >
              <Button variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
                Search further back
              </Button>
            </StateView>
          ) : (
            <EmptyState
              title={isFiltered ? 'No matching events' : 'No events yet'}
              text={isFiltered ? 'Remove a filter to see more.' : undefined}
            />
          )
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

/** Of what the choices are made among: by all of the filter that is no such choice itself. */
function useCounts(slug: string, filter: AuditFilter) {
  const { kind: _kind, event: _event, outcome: _outcome, tool: _tool, ...query } = filter;
  return useQuery({
    queryKey: keys.auditEventCounts(slug, query),
    queryFn: ({ signal }) =>
      call(
        api.GET('/api/workspaces/{slug}/audit-event-counts', { params: { path: { slug }, query }, signal }),
      ),
  });
}

function AuditTable({ events }: { events: AuditEvent[] }) {
  const { nameOf } = useNames();
  return (
    <DataTable
      isFlush
      label="Audit events"
      columns={[
        { name: 'When', width: 150 },
        { name: 'Who', width: 190 },
        'What happened',
        { name: 'Outcome', width: 170 },
        { name: 'Related', width: 190 },
        { name: 'Details', isHidden: true, width: 110 },
      ]}
      minWidth={960}
    >
      {events.map((event) => (
        <AuditRow key={event.id} event={event} nameOf={nameOf} />
      ))}
    </DataTable>
  );
}

/** Saves all events that pass the filter as a file, one JSON object a line, and says how many there are. */
function ExportButton({ filter }: { filter: AuditFilter }) {
  const { slug } = useWorkspace();
  const run = useApiMutation({
    async send() {
      const { file, count } = await exportEvents(slug, filter);
      save(file, exportName(slug, new Date()));
      return count;
    },
  });
  return (
    <Group gap="xs">
      <Button onClick={() => run.mutate()} loading={run.isPending}>
        Export
      </Button>
      <Text role="status" size="sm" c="dimmed">
        {run.isSuccess ? `Exported ${run.data} events.` : ''}
      </Text>
      <FailureAlert error={run.error} values={filter} />
    </Group>
  );
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then; the page need not keep it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
