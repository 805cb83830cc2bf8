import { Button } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Grant } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ListState } from '../../components/query-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { type GrantFilter, queryOf, readFilter } from './grant-filter.ts';
import { GrantFilters } from './grant-filters.tsx';
import { GrantsTable } from './grants-table.tsx';

export function GrantsPage() {
  const { slug } = useWorkspace();
  const [search] = useSearchParams();
  const filter = readFilter(search);
  const list = useGrants(slug, filter);
  return (
    <PageFrame
      title="Grants"
      width="list"
      description="Permissions that people gave. A gated call needs one of these; the audit trail shows which."
      actions={
        <Button
          component={Link}
          href={pathOf(slug, 'grants', 'new')}
          leftSection={<Icon name="plus" size={14} />}
        >
          New grant
        </Button>
      }
    >
      <GrantFilters filter={filter} />
      <ListState list={list} what="The list of grants" empty={<NoGrants filter={filter} />}>
        {(grants) => <GrantsTable grants={grants} />}
      </ListState>
    </PageFrame>
  );
}

function useGrants(slug: string, filter: GrantFilter) {
  return useList<Grant>({
    queryKey: keys.grants(slug, 'list', filter),
    async fetchPage({ cursor, signal }) {
      const query = { ...queryOf(filter), ...(cursor === undefined ? {} : { cursor }) };
      const page = await call(
        api.GET('/api/workspaces/{slug}/grants', { params: { path: { slug }, query }, signal }),
      );
      return { items: page.grants, next_cursor: page.next_cursor };
    },
  });
}

function NoGrants({ filter: { subject, type, state } }: { filter: GrantFilter }) {
  return subject === null && type === null && state === 'active' ? (
    <EmptyState
      title="No active grants"
      text="Agents ask for grants while they run, and you answer under Approvals. You can also create one in advance. Choose the status “All” to see past grants."
    />
  ) : (
    <EmptyState title="No matching grants" text="Remove a filter to see more." />
  );
}
