import type { QueryKey } from '@tanstack/react-query';
import { useWorkspace } from '../app/signed-in.tsx';
import { servicesChangeWithinMs } from '../text/preview-text.ts';
import { api, call } from './client.ts';
import type { Preview } from './types.ts';
import { useList } from './use-list.ts';

/** Live previews of the workspace that the person may open, or those of one session. */
export function usePreviews(queryKey: QueryKey, { sessionId }: { sessionId?: string } = {}) {
  const { slug } = useWorkspace();
  return useList<Preview>({
    queryKey,
    async fetchPage({ cursor, signal }) {
      const query = {
        ...(cursor === undefined ? {} : { cursor }),
        ...(sessionId === undefined ? {} : { session_id: sessionId }),
      };
      const params = { path: { slug }, query };
      const page = await call(api.GET('/api/workspaces/{slug}/previews', { params, signal }));
      return { items: page.previews, next_cursor: page.next_cursor };
    },
    refetchInterval: servicesChangeWithinMs,
  });
}
