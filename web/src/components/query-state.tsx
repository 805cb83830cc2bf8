/** What a query or a list shows: loading, failed, empty, or what it brought. */
import { Button, Center } from '@mantine/core';
import type { ReactNode } from 'react';
import { isBusy } from '../api/failure.ts';
import type { List } from '../api/use-list.ts';
import { FailedState, LoadingState } from './state-views.tsx';

/** The result of `useQuery`, as far as it is needed here. */
interface Query<Data> {
  data: Data | undefined;
  error: unknown;
  /** Why the last attempt failed, while there is another. */
  failureReason: unknown;
  refetch(): unknown;
}

/**
 * Shows `children` with the data, also while it is read again; before that, that it loads or why it
 * failed. `what` names it.
 */
export function QueryState<Data>({
  query: { data, error, failureReason, refetch },
  what,
  children,
}: {
  query: Query<Data>;
  what: string;
  children: (data: Data) => ReactNode;
}) {
  if (data !== undefined) {
    return children(data);
  }
  return error === null ? (
    <LoadingState isBusy={isBusy(failureReason)} />
  ) : (
    <FailedState error={error} retry={() => void refetch()} what={what} />
  );
}

/** A list with the way to its next page below. */
export function ListState<Item>({
  list,
  what,
  empty,
  children,
}: {
  list: List<Item>;
  what: string;
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
}) {
  return (
    <QueryState query={{ ...list, data: list.items, refetch: list.retry }} what={what}>
      {(items) =>
        items.length === 0 ? (
          empty
        ) : (
          <>
            {children(items)}
            {list.hasMore ? (
              <Center my="md">
                <Button variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
                  Load more
                </Button>
              </Center>
            ) : null}
          </>
        )
      }
    </QueryState>
  );
}
