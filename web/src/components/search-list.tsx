import { Button, Center, Stack, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import { withParam } from '../app/with-param.ts';
import { QueryState } from './query-state.tsx';
import { StateView } from './state-views.tsx';

const pageSize = 50;
/** A list that fits on one screen needs no search. */
const searchFrom = 8;

/** A whole list with a search that stays in the address (`q`). `textOf` is what is searched. */
export function SearchList<Item>({
  query,
  of = (items) => items,
  what,
  textOf,
  empty,
  children,
}: {
  query: UseQueryResult<Item[]>;
  /** Which of them are listed. */
  of?: (items: Item[]) => Item[];
  what: string;
  textOf: (item: Item) => string;
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
}) {
  return (
    <QueryState query={query} what={what}>
      {(all) => {
        const items = of(all);
        return items.length === 0 ? empty : <Searched items={items} textOf={textOf} list={children} />;
      }}
    </QueryState>
  );
}

function Searched<Item>({
  items,
  textOf,
  list,
}: {
  items: Item[];
  textOf: (item: Item) => string;
  list: (items: Item[]) => ReactNode;
}) {
  const [params, setParams] = useSearchParams();
  const [shown, setShown] = useState(pageSize);
  const wanted = params.get('q') ?? '';
  const search = (text: string) =>
    setParams((before) => withParam(before, 'q', text === '' ? null : text), { replace: true });
  const found = items.filter((item) => textOf(item).toLowerCase().includes(wanted.toLowerCase()));
  return (
    <Stack>
      {items.length >= searchFrom || wanted !== '' ? (
        <TextInput
          type="search"
          aria-label="Search"
          placeholder="Search"
          maw={360}
          value={wanted}
          onChange={(event) => search(event.currentTarget.value)}
        />
      ) : null}
      {found.length === 0 ? (
        <StateView title="No results" role="status">
          <Button variant="default" onClick={() => search('')}>
            Clear search
          </Button>
        </StateView>
      ) : (
        list(found.slice(0, shown))
      )}
      {found.length > shown ? (
        <Center>
          <Button variant="default" onClick={() => setShown(shown + pageSize)}>
            Show more
          </Button>
        </Center>
      ) : null}
    </Stack>
  );
}
