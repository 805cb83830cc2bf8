import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/signed-in.tsx';
import { servicesChangeWithinMs } from '../text/preview-text.ts';
import { api, call } from './client.ts';
import { keys } from './keys.ts';
import type { Preview } from './types.ts';
import { useList } from './use-list.ts';

/**
 * Live previews of the workspace that the person may open, or those of one session. With `polls: false`
 * another part of the page keeps them fresh.
 */
export function usePreviews(
  queryKey: QueryKey,
  { sessionId, polls = true }: { sessionId?: string; polls?: boolean } = {},
) {
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
    ...(polls ? { refetchInterval: servicesChangeWithinMs } : {}),
  });
}

/** One preview, also after its end. */
export function usePreview(id: string, { enabled = true }: { enabled?: boolean } = {}) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.previews(slug, 'one', id),
    queryFn: ({ signal }) => {
      const params = { path: { slug, preview_id: id } };
      return call(api.GET('/api/workspaces/{slug}/previews/{preview_id}', { params, signal }));
    },
    enabled,
    refetchInterval: ({ state: { data } }) => servicesChangeWithinMs(data && [data.preview]),
  });
}

/**
 * A preview of a session as it is now; undefined until that is known. Live ones are in the session's list,
 * which its page keeps fresh.
 */
export function usePreviewOfSession(id: string, sessionId: string): Preview | undefined {
  const { slug } = useWorkspace();
  const { items } = usePreviews(keys.previews(slug, sessionId), { sessionId, polls: false });
  const listed = items?.find((preview) => preview.id === id);
  const one = usePreview(id, { enabled: items !== undefined && listed === undefined });
  return listed ?? one.data?.preview;
}
