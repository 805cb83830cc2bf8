/** All sessions of the tree that a session is in, as far as the person may read them. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session, SessionWithAncestors } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';

const pageSize = 200;

export interface SessionTree {
  /** The root, or the one nearest to it that the person may read. */
  top: Session | undefined;
  /** Those below it that were read so far. */
  below: readonly Session[];
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
}

const none: readonly Session[] = [];

/** Kept under the session's own key: what the stream says of its page is said of its tree, too. */
export function useSessionTree(session: SessionWithAncestors): SessionTree {
  const topId = session.ancestors[0]?.id ?? session.id;
  const isTop = topId === session.id;
  const params = { path: { session_id: topId } };
  const top = useQuery({
    queryKey: keys.session(session.id, 'tree', 'top', topId),
    queryFn: ({ signal }) => call(api.GET('/api/sessions/{session_id}', { params, signal })),
    enabled: !isTop,
  });
  const list = useList<Session>({
    queryKey: keys.session(session.id, 'tree', 'below', topId),
    async fetchPage({ cursor, signal }) {
      const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const page = await call(
        api.GET('/api/sessions/{session_id}/children', { params: { ...params, query }, signal }),
      );
      return { items: page.sessions, next_cursor: page.next_cursor };
    },
  });
  return {
    top: isTop ? session : top.data?.session,
    below: list.items ?? none,
    hasMore: list.hasMore,
    isLoadingMore: list.isLoadingMore,
    loadMore: list.loadMore,
  };
}
