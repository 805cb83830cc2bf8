import { Button, NativeSelect } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import type { Agent } from '../../api/types.ts';
import { useAllAgents } from '../../api/use-all.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named } from '../../components/avatar.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { Pill } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SearchList } from '../../components/search-list.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { UnavailableBadge } from '../../components/unavailable.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { runText } from '../../text/shape-text.ts';

/** The agents of the workspace. */
export function AgentsPage() {
  const { slug } = useWorkspace();
  const query = useAllAgents(slug);
  const [params] = useSearchParams();
  const shown = shownStates.find((state) => state === params.get('state')) ?? 'in_use';
  const create = (
    <Button
      component={Link}
      href={pathOf(slug, 'agents', 'new')}
      leftSection={<Icon name="plus" size={14} />}
    >
      New agent
    </Button>
  );
  return (
    <PageFrame
      title="Agents"
      width="list"
      description="An agent is what a session runs: instructions, MCP servers and limits."
      actions={create}
    >
      <StateFilter agents={query.data ?? []} shown={shown} />
      <SearchList
        query={query}
        of={(agents) => agents.filter((agent) => shown === 'all' || stateOf(agent) === shown)}
        what="The list of agents"
        textOf={({ name }) => name}
        empty={
          shown === 'archived' ? (
            <EmptyState title="No archived agents" text="An agent is archived on its page." />
          ) : (
            <EmptyState
              title="No agents yet"
              text="Create one, attach MCP servers to it, and start a session."
            >
              {create}
            </EmptyState>
          )
        }
      >
        {(items) => <AgentsTable agents={items} />}
      </SearchList>
    </PageFrame>
  );
}

const shownStates = ['in_use', 'archived', 'all'] as const;
type ShownState = (typeof shownStates)[number];

const stateOf = ({ archived_at: at }: Agent): ShownState => (at === null ? 'in_use' : 'archived');

/** Kept in the address. Not there before something was archived. */
function StateFilter({ agents, shown }: { agents: readonly Agent[]; shown: ShownState }) {
  const [, setParams] = useSearchParams();
  const isArchived = agents.some((agent) => stateOf(agent) === 'archived');
  if (!isArchived && shown === 'in_use') {
    return null;
  }
  return (
    <NativeSelect
      label="Show"
      maw={220}
      data={[
        { value: 'in_use', label: 'Agents in use' },
        { value: 'archived', label: 'Archived agents' },
        { value: 'all', label: 'All agents' },
      ]}
      value={shown}
      onChange={({ currentTarget: { value } }) =>
        setParams(value === 'in_use' ? new URLSearchParams() : new URLSearchParams({ state: value }), {
          replace: true,
        })
      }
    />
  );
}

function AgentsTable({ agents }: { agents: Agent[] }) {
  const { slug } = useWorkspace();
  return (
    <DataTable
      isFlush
      isStacked
      columns={[
        'Name',
        'Runs',
        { name: 'Network', width: 110 },
        { name: 'Owner', width: 180 },
        { name: 'Updated', width: 150, isRight: true },
      ]}
    >
      {agents.map((agent) => {
        const { id, name, kind, run, network, owner_id, updated_at, unavailable, archived_at } = agent;
        return (
          <tr key={id}>
            <td>
              <span className="named">
                <Named avatar={<AgentAvatar name={name} />} title={name}>
                  <TextLink to={pathOf(slug, 'agents', id)}>
                    <VisibleText text={name} />
                  </TextLink>
                </Named>
                {kind === 'orchestrator' ? <Pill tone="idle">orchestrator</Pill> : null}
                {archived_at === null ? null : <Pill tone="idle">Archived</Pill>}
                {unavailable === null ? null : <UnavailableBadge reason={unavailable.reason} />}
              </span>
            </td>
            <td className="cut">
              <VisibleText text={runText(run)} />
            </td>
            <td>{network === 'none' ? 'none' : 'internet'}</td>
            <td>
              <PersonName id={owner_id} />
            </td>
            <td className="right">
              <RelativeTime at={updated_at} />
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}
