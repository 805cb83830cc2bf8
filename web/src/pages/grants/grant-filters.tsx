import { NativeSelect, Select } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { type Known, useNames } from '../../api/use-names.ts';
import { type FilterName, type GrantFilter, type SubjectType, withPart } from './grant-filter.ts';
import { typeLabel, widthLabel } from './grant-text.ts';

const optionsOf = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** One line; kept in the address, so that a filtered list can be shared. */
export function GrantFilters({ filter: { subject, type, width, by } }: { filter: GrantFilter }) {
  const [, setSearch] = useSearchParams();
  const { people, agents } = useNames();
  const change = (name: FilterName, value: string | null) =>
    setSearch((before) => withPart(before, name, value), { replace: true });
  const chosen = subject === null ? null : `${subject.type}:${subject.id}`;
  const isKnown = [...people, ...agents].some(({ id }) => id === subject?.id);
  const knowsMaker = by === null || people.some(({ id }) => id === by);
  return (
    <>
      <Select
        aria-label="Granted to"
        placeholder="Given to anyone"
        w={200}
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
        aria-label="Grant type"
        data={[{ value: '', label: 'Any type' }, ...optionsOf(typeLabel)]}
        value={type ?? ''}
        onChange={(input) => change('type', input.currentTarget.value)}
      />
      <NativeSelect
        aria-label="How far"
        data={[{ value: '', label: 'However far' }, ...optionsOf(widthLabel)]}
        value={width ?? ''}
        onChange={(input) => change('width', input.currentTarget.value)}
      />
      <Select
        aria-label="Made by"
        placeholder="Made by anyone"
        w={180}
        searchable
        clearable
        nothingFoundMessage="No matches"
        data={[
          ...(knowsMaker ? [] : [{ value: by ?? '', label: by ?? '' }]),
          ...people.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={by}
        onChange={(value) => change('by', value)}
      />
    </>
  );
}

const option =
  (type: SubjectType) =>
  ({ id, name }: Known) => ({ value: `${type}:${id}`, label: name });
