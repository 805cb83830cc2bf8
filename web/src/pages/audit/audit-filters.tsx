import { Button, Group, NativeSelect, Select, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useNames } from '../../api/use-names.ts';
import { fromLocalInput, toLocalInput, zoneName } from '../../text/local-time.ts';
import { type AuditFilter, filterNames, withPart } from './audit-filter.ts';
import { eventLabels } from './audit-text.ts';

const events = Object.entries(eventLabels).map(([value, label]) => ({ value, label }));

/** Each change goes into the address at once; typed text on blur or Enter. */
export function AuditFilters({ filter }: { filter: AuditFilter }) {
  const [, setSearch] = useSearchParams();
  const change = (name: (typeof filterNames)[number], value: string | null) =>
    setSearch((before) => withPart(before, name, value), { replace: true });
  const clear = () =>
    setSearch((before) => filterNames.reduce((search, name) => withPart(search, name, null), before));
  return (
    <div>
      <Group align="flex-end" gap="xs">
        <NativeSelect
          label="Event"
          w={190}
          data={[{ value: '', label: 'All events' }, ...events]}
          value={filter.event ?? ''}
          onChange={(input) => change('event', input.currentTarget.value)}
        />
        <ActorFilter actor={filter.actor} onChange={(actor) => change('actor', actor)} />
        <TypedFilter
          label="Resource (ID or exact name)"
          value={filter.resource ?? ''}
          onChange={(resource) => change('resource', resource)}
        />
        <TypedFilter
          label="Session and those below it (ID)"
          value={filter.tree ?? ''}
          onChange={(tree) => change('tree', tree)}
        />
        <TimeFilter label="From" value={filter.from} onChange={(at) => change('from', at)} />
        <TimeFilter label="Before" value={filter.to} onChange={(at) => change('to', at)} />
      </Group>
      <Group gap="xs" mt={4}>
        <Text size="sm" c="dimmed">
          Times are in your time zone, {zoneName()}.
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
