/** Permission requests of a session, and of those below it, that the person may answer. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { requestQuery } from '../approvals/use-request.ts';
import type { TranscriptEvent } from './session-event-type.ts';
import { undecidedRequests } from './waiting-requests.ts';

const mostRequests = 200;

/**
 * Oldest first. The stored request says whether it is open and whose it is to answer. What was asked before
 * the events that were read (`hasOlder`) is looked up.
 */
export function useWaitingRequests(
  sessionId: string,
  events: readonly TranscriptEvent[],
  hasOlder: boolean,
): PermissionRequest[] {
  const { slug } = useWorkspace();
  const { data } = useQuery({
    queryKey: keys.permissionRequests(slug, 'open-of-tree', sessionId),
    queryFn({ signal }) {
      const query = { tree: sessionId, status: 'open' as const, limit: mostRequests };
      const params = { path: { slug }, query };
      return call(api.GET('/api/workspaces/{slug}/permission-requests', { params, signal }));
    },
    enabled: hasOlder,
  });
  const ids = useMemo(() => {
    const earlier = hasOlder ? (data?.permission_requests ?? []).map(({ id }) => id).reverse() : [];
    return [...new Set([...earlier, ...undecidedRequests(events)])];
  }, [events, hasOlder, data]);
  return useQueries({
    queries: ids.map((id) => requestQuery(slug, id)),
    combine: (results) =>
      results.flatMap(({ data }) => (data?.status === 'open' && data.may_decide ? [data] : [])),
  });
}
