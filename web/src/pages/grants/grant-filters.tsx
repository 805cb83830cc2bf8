import { Group, NativeSelect, Select } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { type Known, useNames } from '../../api/use-names.ts';
import { type FilterName, type GrantFilter, type SubjectType, withPart } from './grant-filter.ts';
import { grantStateLabel, typeLabel } from './grant-text.ts';

const optionsOf = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

export function GrantFilters({ filter: { subject, type, state } }: { filter: GrantFilter }) {
  const [, setSearch] = useSearchParams();
  const { people, agents } = useNames();
  const change = (name: FilterName, value: string | null) =>
    setSearch((before) => withPart(before, name, value), { replace: true });
  const chosen = subject === null ? null : `${subject.type}:${subject.id}`;
  const isKnown = [...people, ...agents].some(({ id }) => id === subject?.id);
  return (
    <Group align="flex-end" gap="xs">
      <Select
        label="Granted to"
        placeholder="Anyone"
        w={240}
        searchable
        clearable
        nothingFoundMessage="No matches"
        data={[
          ...(chosen === null || isKnown ? [] : [{ value: chosen, label: chosen }]),
          { group: 'People', items: people.map(option('user')) },
          { group: 'Agents', items: agents.map(option('agent')) },
        ]}
        value={chosen}
        onChange={(value) => change('subject', value)}
      />
      <NativeSelect
        label="Grant type"
        data={[{ value: '', label: 'Any type' }, ...optionsOf(typeLabel)]}
        value={type ?? ''}
        onChange={(input) => change('type', input.currentTarget.value)}
      />
      <NativeSelect
        label="Status"
        data={[...optionsOf(grantStateLabel), { value: 'all', label: 'All' }]}
        value={state}
        onChange={(input) => change('state', input.currentTarget.value)}
      />
    </Group>
  );
}

const option =
  (type: SubjectType) =>
  ({ id, name }: Known) => ({ value: `${type}:${id}`, label: name });
