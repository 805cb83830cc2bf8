/** What an admin does about the registration of a remote server. */
import { api, call } from '../../../api/client.ts';
import { stale } from '../../../api/stale.ts';
import type { SignInParties } from '../../../api/types.ts';
import { useApiMutation } from '../../../api/use-api-mutation.ts';

/** Has the server discovered again. */
export function useRetry(slug: string, name: string) {
  const params = { path: { slug, name } };
  return useApiMutation({
    send: () => call(api.POST('/api/workspaces/{slug}/mcp-servers/{name}/registration/retry', { params })),
    invalidates: stale.entry(slug),
  });
}

/** Accepts exactly what was shown, or nothing: when something else waits by now, that is read. */
export function useAcceptParties(slug: string, name: string) {
  const params = { path: { slug, name } };
  return useApiMutation({
    send: ({ issuer, resource }: SignInParties) =>
      call(
        api.POST('/api/workspaces/{slug}/mcp-servers/{name}/registration/accept', {
          params,
          body: { issuer, resource },
        }),
      ),
    invalidates: stale.entry(slug),
    invalidatesOnError: stale.entry(slug),
  });
}
