/** One check of an entry: begun here, followed until it ends. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { api, call } from '../../../api/client.ts';
import { ApiFailure } from '../../../api/failure.ts';
import { keys } from '../../../api/keys.ts';
import type { McpCheck } from '../../../api/types.ts';
import { useApiMutation } from '../../../api/use-api-mutation.ts';
import { useIdempotencyKey } from '../../../api/use-idempotency-key.ts';
import { readDraft, writeDraft } from '../../../app/drafts.ts';
import { useMe } from '../../../app/signed-in.tsx';

/** A check lasts seconds, and no stream reports it: it is polled while it runs, and no longer. */
const askEveryMs = 1000;

export function useCheck(slug: string, name: string) {
  const queries = useQueryClient();
  const keyFor = useIdempotencyKey();
  // In the address: a reload, or somebody else who is sent it, sees the same check for as long as it is kept.
  const [params, setParams] = useSearchParams();
  const id = params.get('check');
  const last = useLastCheck(slug, name);
  useEffect(() => {
    const known = id === null ? last.read() : null;
    if (known !== null) {
      setParams({ check: known }, { replace: true });
    }
  });
  const keyOf = (checkId: string | null) => keys.mcpChecks(slug, name, checkId);
  const take = ({ mcp_check }: { mcp_check: McpCheck }) => {
    queries.setQueryData(keyOf(mcp_check.id), mcp_check);
    last.write(mcp_check.id);
    setParams({ check: mcp_check.id }, { replace: true });
  };
  const start = useApiMutation({
    // Another check with the same env is another request.
    send: (env: Record<string, string>) =>
      call(
        api.POST('/api/workspaces/{slug}/mcp-servers/{name}/checks', {
          params: { path: { slug, name }, header: keyFor({ env, after: id }) },
          body: { env },
        }),
      ),
    onSuccess: take,
  });
  const check = useQuery({
    queryKey: keyOf(id),
    enabled: id !== null,
    queryFn: async ({ signal }): Promise<McpCheck> => {
      const params = { path: { slug, name, check_id: id ?? '' } };
      const path = '/api/workspaces/{slug}/mcp-servers/{name}/checks/{check_id}';
      try {
        return (await call(api.GET(path, { params, signal }))).mcp_check;
      } catch (error) {
        // Removed meanwhile: the next visit begins with an empty page.
        if (error instanceof ApiFailure && error.status === 404) {
          last.write(null);
        }
        throw error;
      }
    },
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.ended_at === null ? askEveryMs : false,
  });
  const cancel = useApiMutation({
    send: (checkId: string) =>
      call(
        api.POST('/api/workspaces/{slug}/mcp-servers/{name}/checks/{check_id}/cancel', {
          params: { path: { slug, name, check_id: checkId } },
        }),
      ),
    onSuccess: take,
  });
  return { start, check, cancel };
}

/** The check that this tab saw last of an entry: shown again after navigating away and back. */
function useLastCheck(slug: string, name: string) {
  const place = { userId: useMe().user.id, slug };
  const draft = `check of ${name}`;
  return {
    read: (): string | null => {
      const id = readDraft(place, draft);
      return typeof id === 'string' ? id : null;
    },
    write: (id: string | null) => writeDraft(place, draft, id),
  };
}
