/** Lists that page by cursor. */
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

interface ListOptions<Item> {
  queryKey: QueryKey;
  /** One page; `cursor` is undefined for the first. */
  fetchPage(at: { cursor: string | undefined; signal: AbortSignal }): Promise<Page<Item>>;
  enabled?: boolean;
  /** The pause before the list is read again, by what it holds; only for what the stream does not tell. */
  refetchInterval?: (items: readonly Item[] | undefined) => number | false;
}

const never = () => false as const;

/**
 * `items` of all pages so far, undefined until the first is there. `loadMore` brings the next;
 * `<ListState list={list} ... />` shows loading, failure and emptiness.
 */
export function useList<Item>({
  queryKey,
  fetchPage,
  enabled = true,
  refetchInterval = never,
}: ListOptions<Item>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage({ cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled,
    refetchInterval: ({ state: { data } }) => refetchInterval(data?.pages.flatMap((page) => page.items)),
  });
  return {
    items: query.data?.pages.flatMap((page) => page.items),
    error: query.error,
    failureReason: query.failureReason,
    isFetching: query.isFetching,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}

export type List<Item> = ReturnType<typeof useList<Item>>;
