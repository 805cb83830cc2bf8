/** How many open permission requests this person may decide. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** Read again when the stream says that something was asked or decided. */
export function useWaitingCount(slug: string): number {
  const { data } = useQuery({
    queryKey: keys.permissionRequests(slug, 'waiting'),
    queryFn: ({ signal }) =>
      call(
        api.GET('/api/workspaces/{slug}/permission-requests/count', { params: { path: { slug } }, signal }),
      ),
    // The count in the tab's title is for those who look elsewhere.
    meta: { whileHidden: true },
  });
  return data?.may_decide ?? 0;
}
