import { useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../../api/client.ts';
import { keys } from '../../../api/keys.ts';
import { stale } from '../../../api/stale.ts';
import type { McpServer } from '../../../api/types.ts';
import { useApiMutation } from '../../../api/use-api-mutation.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { inputOf, valuesOf } from '../entry-values.ts';
import { type ChosenScopes, manifestWith } from './scope-suggestions.ts';

/** The ordinary edit of the entry: everything of it stays, but for the scopes of its tools. */
export function useSaveScopes(entry: McpServer, onSaved: (entry: McpServer) => void) {
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  return useApiMutation({
    send: (chosen: ChosenScopes) =>
      call(
        api.PUT('/api/workspaces/{slug}/mcp-servers/{name}', {
          params: { path: { slug, name: entry.name } },
          body: { ...inputOf(valuesOf(entry)), manifest: manifestWith(entry.manifest, chosen) },
        }),
      ),
    invalidates: stale.entry(slug),
    onSuccess: ({ mcp_server }) => {
      onSaved(mcp_server);
      queries.setQueryData(keys.mcpServers(slug, 'one', entry.name), mcp_server);
    },
  });
}
