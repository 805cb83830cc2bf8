import type { ReactNode } from 'react';
import type { Agent } from '../../api/types.ts';
import { QueryState } from '../../components/query-state.tsx';
import { NoPermissionState } from '../../components/state-views.tsx';
import { useAgent, useMayEdit } from './use-agent.ts';

/** The agent of the address once loaded; `toEdit` also checks whether the person may change it. */
export function WithAgent({
  id,
  toEdit = false,
  children,
}: {
  id: string;
  toEdit?: boolean;
  children: (agent: Agent) => ReactNode;
}) {
  const query = useAgent(id);
  return (
    <QueryState query={query} what="The agent">
      {(agent) => (toEdit ? <Editable agent={agent}>{children}</Editable> : children(agent))}
    </QueryState>
  );
}

function Editable({ agent, children }: { agent: Agent; children: (agent: Agent) => ReactNode }) {
  return useMayEdit(agent) ? (
    children(agent)
  ) : (
    <NoPermissionState rule="Only an agent’s owner and workspace admins can edit it." />
  );
}
