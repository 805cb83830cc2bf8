import { Button, Group, MultiSelect, NativeSelect, Select, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { AuditEventCounts } from '../../api/types.ts';
import { useNames } from '../../api/use-names.ts';
import { fromLocalInput, toLocalInput, zoneName } from '../../text/local-time.ts';
import { numberText } from '../../text/number-text.ts';
import { type AuditFilter, filterNames, withPart } from './audit-filter.ts';
import { eventLabels } from './audit-text.ts';

const optionsOf = (counts: AuditEventCounts['events'] | undefined) =>
  Object.entries(eventLabels).map(([value, label]) => {
    const count = counts?.find((each) => each.value === value)?.count ?? 0;
    return { value, label: count === 0 ? label : `${label} (${numberText(count)})` };
  });

const outcomes = [
  'ok',
  'tool_error',
  'protocol_error',
  'permission_required',
  'waiting',
  'refused',
  'server_unavailable',
  'cancelled',
  'unknown',
];

/** With how often it is among the newest entries, where it is. */
function withCount(value: string, counts: readonly { value: string; count: number }[] | undefined) {
  const count = counts?.find((each) => each.value === value)?.count ?? 0;
  const label = value.replaceAll('_', ' ');
  return { value, label: count === 0 ? label : `${label} (${numberText(count)})` };
}

/** Each change goes into the address at once; typed text on blur or Enter. */
export function AuditFilters({
  filter,
  counts,
}: {
  filter: AuditFilter;
  counts: AuditEventCounts | undefined;
}) {
  const [, setSearch] = useSearchParams();
  const change = (name: (typeof filterNames)[number], value: string | null) =>
    setSearch((before) => withPart(before, name, value), { replace: true });
  const clear = () =>
    setSearch((before) => filterNames.reduce((search, name) => withPart(search, name, null), before));
  return (
    <div>
      <Group align="flex-end" gap="xs">
        <TypedFilter
          label="Search (names of agents, people and tools; IDs)"
          value={filter.q ?? ''}
          onChange={(q) => change('q', q)}
        />
        <MultiSelect
          label="Events"
          w={240}
          placeholder={filter.event === undefined ? 'All events' : ''}
          searchable
          clearable
          nothingFoundMessage="No matches"
          data={optionsOf(counts?.events)}
          value={filter.event?.split(',') ?? []}
          onChange={(events) => change('event', events.join(','))}
        />
        <NativeSelect
          label="Outcome"
          w={150}
          data={[
            { value: '', label: 'Any' },
            ...outcomes.map((each) => withCount(each, counts?.outcomes)),
            ...severalOutcomes(filter.outcome),
          ]}
          value={filter.outcome ?? ''}
          onChange={(input) => change('outcome', input.currentTarget.value)}
        />
        <Select
          label="Tool"
          w={190}
          placeholder="Any"
          searchable
          clearable
          nothingFoundMessage="Not among the newest calls"
          data={toolOptions(filter.tool, counts)}
          value={filter.tool ?? null}
          onChange={(tool) => change('tool', tool)}
        />
        <ActorFilter actor={filter.actor} onChange={(actor) => change('actor', actor)} />
        <TypedFilter
          label="Resource (ID or exact name)"
          value={filter.resource ?? ''}
          onChange={(resource) => change('resource', resource)}
        />
        <TypedFilter
          label="Session tree (session ID)"
          value={filter.tree ?? ''}
          onChange={(tree) => change('tree', tree)}
        />
        <TimeFilter label="From" value={filter.from} onChange={(at) => change('from', at)} />
        <TimeFilter label="Before" value={filter.to} onChange={(at) => change('to', at)} />
      </Group>
      <Group gap="xs" mt={4}>
        <Text size="sm" c="dimmed">
          {counts === undefined ? '' : `${countText(counts)} · `}Times are in your time zone, {zoneName()}.
        </Text>
        {Object.keys(filter).length === 0 ? null : (
          <Button variant="subtle" size="compact-sm" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Group>
    </div>
  );
}

/** A link may ask for more than one. */
const severalOutcomes = (chosen = '') =>
  chosen.includes(',') ? [{ value: chosen, label: chosen.replaceAll('_', ' ').replaceAll(',', ', ') }] : [];

/** What the numbers beside the choices are counted in. */
const countText = ({ total, is_whole: isWhole }: AuditEventCounts) =>
  isWhole ? `${numberText(total)} entries` : `${numberText(total)} among the newest 10,000 entries`;

function toolOptions(chosen: string | undefined, counts: AuditEventCounts | undefined) {
  const known = counts?.tools.map(({ value }) => value) ?? [];
  const all = chosen === undefined || known.includes(chosen) ? known : [chosen, ...known];
  return all.map((tool) => {
    const count = counts?.tools.find(({ value }) => value === tool)?.count ?? 0;
    return { value: tool, label: count === 0 ? tool : `${tool} (${numberText(count)})` };
  });
}

function ActorFilter({
  actor,
  onChange,
}: {
  actor: string | undefined;
  onChange: (actor: string | null) => void;
}) {
  const { people, agents } = useNames();
  const option = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name });
  const isKnown = [...people, ...agents].some(({ id }) => id === actor);
  const other = actor === undefined || isKnown ? [] : [{ value: actor, label: actor }];
  return (
    <Select
      label="Actor"
      placeholder="Anyone"
      w={170}
      searchable
      clearable
      nothingFoundMessage="No matches"
      data={[
        ...other,
        { group: 'People', items: people.map(option) },
        { group: 'Agents', items: agents.map(option) },
      ]}
      value={actor ?? null}
      onChange={onChange}
    />
  );
}

function TypedFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const commit = () => (typed.trim() === value ? undefined : onChange(typed.trim()));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
    >
      <TextInput
        label={label}
        w={210}
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit}
      />
    </form>
  );
}

function TimeFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (at: string | null) => void;
}) {
  return (
    <TextInput
      type="datetime-local"
      w={205}
      label={label}
      value={value === undefined ? '' : toLocalInput(value)}
      onChange={(event) => onChange(fromLocalInput(event.currentTarget.value))}
    />
  );
}
