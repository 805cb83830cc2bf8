import { Checkbox, Select, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useAllAgents } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { withParam } from '../../app/with-param.ts';
import { Icon } from '../../components/icon.tsx';
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
  const set = (name: string, value: string | null, { replace = false } = {}) =>
    setParams((before) => withParam(before, name, value), { replace });
  return (
    <>
      <SearchField onSearch={(words) => set('q', words === '' ? null : words, { replace: true })} />
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

const pauseMs = 250;

/** Asks once the person pauses; another address, such as that of a view, brings its own words. */
function SearchField({ onSearch }: { onSearch: (words: string) => void }) {
  const [params] = useSearchParams();
  const asked = params.get('q') ?? '';
  const [typed, setTyped] = useState(asked);
  const sent = useRef(asked);
  useEffect(() => {
    // What was typed since it was asked for stays.
    if (asked !== sent.current) {
      sent.current = asked;
      setTyped(asked);
    }
  }, [asked]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed begins the pause, nothing else.
  useEffect(() => {
    if (typed === sent.current) {
      return;
    }
    const timer = setTimeout(() => {
      sent.current = typed;
      onSearch(typed);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <TextInput
      type="search"
      aria-label="Search titles, prompts and agents"
      placeholder="Search titles, prompts, agents"
      leftSection={<Icon name="search" size={14} />}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      w={250}
    />
  );
}
