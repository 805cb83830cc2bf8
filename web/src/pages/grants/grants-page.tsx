import { Button } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Grant } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
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
      description="What people have permitted. A gated call passes only on one of these, and the audit trail says on which."
      actions={
        <Button component={Link} href={pathOf(slug, 'grants', 'new')}>
          Make a grant
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
      title="Nothing is permitted now"
      text="Agents ask for grants while they run; you answer under Approvals. You can also make one beforehand, and see past ones with the state “All”."
    />
  ) : (
    <EmptyState title="No grant passes this filter" text="Take a part of the filter out to see more." />
  );
}
