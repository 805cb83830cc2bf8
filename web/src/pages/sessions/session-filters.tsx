import { Checkbox, Select } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useAllAgents } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { type ShownState, sessionStateLabel, sessionStates } from './status-text.ts';

const states = sessionStates.map((value) => ({ value, label: sessionStateLabel(value) }));

/** Kept in the address, so that a filtered list can be shared. */
export function SessionFilters({
  status,
  agentId,
  rootsOnly,
}: {
  status: ShownState | null;
  agentId: string | null;
  rootsOnly: boolean;
}) {
  const [, setParams] = useSearchParams();
  const agents = useAllAgents(useWorkspace().slug);
  const set = (name: string, value: string | null) =>
    setParams((before) => {
      const params = new URLSearchParams(before);
      params.delete(name);
      if (value !== null) {
        params.set(name, value);
      }
      return params;
    });
  return (
    <>
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        data={states}
        value={status}
        onChange={(value) => set('status', value)}
        w={200}
      />
      <Select
        aria-label="Agent"
        placeholder="Any agent"
        clearable
        searchable
        data={(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={agentId}
        onChange={(value) => set('agent', value)}
        w={200}
      />
      <Checkbox
        label="Leave out sessions that agents started"
        checked={rootsOnly}
        onChange={({ currentTarget }) => set('children', currentTarget.checked ? 'exclude' : null)}
      />
    </>
  );
}
