/** How many open permission requests this person may decide. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';
import { readConnection } from '../api/connection.ts';
import { keys } from '../api/keys.ts';

const lookEveryMs = 5_000;

/** Also renewed when a session that is open on the page says that something was asked or decided. */
export function useWaitingCount(slug: string): number {
  const { data } = useQuery({
    queryKey: keys.permissionRequests(slug, 'waiting'),
    queryFn: ({ signal }) =>
      call(
        api.GET('/api/workspaces/{slug}/permission-requests/count', { params: { path: { slug } }, signal }),
      ),
    refetchInterval: () => (readConnection().signedOut ? false : lookEveryMs),
    // The count in the tab's title is for those who look elsewhere.
    refetchIntervalInBackground: true,
  });
  return data?.may_decide ?? 0;
}
