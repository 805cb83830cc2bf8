import { Button } from '@mantine/core';
import { useState } from 'react';
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
import { ViewLinks } from '../../components/view-links.tsx';
import { type GrantFilter, grantViews, queryOf, readFilter, viewLabel, withPart } from './grant-filter.ts';
import { GrantFilters } from './grant-filters.tsx';
import { GrantsTable } from './grants-table.tsx';
import { RevokeSeveral } from './revoke-several.tsx';

export function GrantsPage() {
  const { slug } = useWorkspace();
  const [search] = useSearchParams();
  const filter = readFilter(search);
  const list = useGrants(slug, filter);
  return (
    <PageFrame
      title="Grants"
      width="list"
      description="What people allowed. A gated call needs one of these."
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
      <ViewLinks
        label="Which grants"
        shown={filter.state}
        views={grantViews.map((name) => ({
          name,
          label: viewLabel[name],
          to: `${pathOf(slug, 'grants')}?${withPart(search, 'state', name)}`,
        }))}
      />
      <div className="toolbar">
        <GrantFilters filter={filter} />
      </div>
      <ListState list={list} what="The list of grants" empty={<NoGrants filter={filter} />}>
        {(grants) => <SelectableGrants key={search.toString()} grants={grants} />}
      </ListState>
    </PageFrame>
  );
}

/** What is selected is what is shown: another filter begins again; what is revoked meanwhile drops out. */
function SelectableGrants({ grants }: { grants: Grant[] }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const ids = grants.filter(({ id, may_revoke: may }) => may && selected.has(id)).map(({ id }) => id);
  const select = (changed: readonly string[], isSelected: boolean) =>
    setSelected((before) => {
      const others = [...before].filter((id) => !changed.includes(id));
      return new Set(isSelected ? [...others, ...changed] : others);
    });
  return (
    <>
      <GrantsTable grants={grants} selection={{ ids: new Set(ids), select }} />
      <RevokeSeveral ids={ids} onClear={() => setSelected(new Set())} />
    </>
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

function NoGrants({ filter: { subject, type, state, width, by } }: { filter: GrantFilter }) {
  const isNarrowed = [subject, type, width, by].some((part) => part !== null);
  return !isNarrowed && state === 'active' ? (
    <EmptyState
      title="No active grants"
      text="Agents ask for grants while they run, and you answer under Approvals. You can also create one in advance. Past grants stand under “All”."
    />
  ) : (
    <EmptyState title="No matching grants" text="Remove a filter to see more." />
  );
}
