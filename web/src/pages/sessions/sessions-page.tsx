import { Button } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ListState } from '../../components/query-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { PinnedFilter } from './pinned-filter.tsx';
import { SessionFilters } from './session-filters.tsx';
import { searchIn } from './session-search.ts';
import { SessionsTable } from './sessions-table.tsx';
import { filterOf, sessionStates } from './status-text.ts';
import { WaitingNotice } from './waiting-notice.tsx';

export function SessionsPage() {
  const { slug } = useWorkspace();
  const [params] = useSearchParams();
  const state = sessionStates.find((candidate) => candidate === params.get('status'));
  const agentId = params.get('agent') ?? undefined;
  const rootsOnly = params.get('children') === 'exclude';
  const search = searchIn(params);
  const ofState = state === undefined ? {} : filterOf(state);
  const list = useSessions(slug, { ...ofState, agent_id: agentId, rootsOnly, search });
  const start = (
    <Button
      component={Link}
      href={pathOf(slug, 'sessions', 'new')}
      leftSection={<Icon name="plus" size={14} />}
    >
      Start session
    </Button>
  );
  return (
    <PageFrame title="Sessions" width="list" actions={start}>
      <PinnedFilter />
      <div className="toolbar">
        <SessionFilters status={state ?? null} agentId={agentId ?? null} rootsOnly={rootsOnly} />
        <WaitingNotice />
      </div>
      <ListState
        list={list}
        what="The sessions"
        empty={
          params.size > 0 ? (
            <EmptyState title="No matching sessions" text="Choose another status or agent, or other words.">
              <Button component={Link} href={pathOf(slug, 'sessions')} variant="default">
                Clear filters
              </Button>
            </EmptyState>
          ) : (
            <EmptyState title="No sessions yet" text="A session is one run of an agent.">
              {start}
            </EmptyState>
          )
        }
      >
        {(sessions) => <SessionsTable sessions={sessions} />}
      </ListState>
    </PageFrame>
  );
}

interface Filter extends ReturnType<typeof filterOf> {
  agent_id: string | undefined;
  rootsOnly: boolean;
  search: string | undefined;
}

function useSessions(
  slug: string,
  { status, waiting_for: wait, agent_id: agentId, rootsOnly, search }: Filter,
) {
  return useList<Session>({
    queryKey: keys.sessions(slug, 'list', status, wait, agentId, rootsOnly, search),
    async fetchPage({ cursor, signal }) {
      const query = {
        ...(status === undefined ? {} : { status }),
        ...(wait === undefined ? {} : { waiting_for: wait }),
        ...(agentId === undefined ? {} : { agent_id: agentId }),
        ...(search === undefined ? {} : { search }),
        ...(rootsOnly ? { children: 'exclude' as const } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const params = { path: { slug }, query };
      const page = await call(api.GET('/api/workspaces/{slug}/sessions', { params, signal }));
      return { items: page.sessions, next_cursor: page.next_cursor };
    },
  });
}
