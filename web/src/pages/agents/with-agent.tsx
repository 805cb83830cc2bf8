import type { ReactNode } from 'react';
import type { Agent } from '../../api/types.ts';
import { FailedState, LoadingState, NoPermissionState } from '../../components/state-views.tsx';
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
  const agent = useAgent(id);
  if (agent.data === undefined) {
    return agent.error === null ? (
      <LoadingState />
    ) : (
      <FailedState error={agent.error} retry={() => void agent.refetch()} what="The agent" />
    );
  }
  return toEdit ? <Editable agent={agent.data}>{children}</Editable> : children(agent.data);
}

function Editable({ agent, children }: { agent: Agent; children: (agent: Agent) => ReactNode }) {
  return useMayEdit(agent) ? (
    children(agent)
  ) : (
    <NoPermissionState rule="Only its owner and admins of the workspace may change an agent." />
  );
}
