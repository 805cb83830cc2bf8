import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../../api/client.ts';
import { keys } from '../../../api/keys.ts';
import type { McpServer } from '../../../api/types.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { readAgainAfterEntryChange } from '../after-entry-change.ts';
import { inputOf, valuesOf } from '../entry-values.ts';
import { type ChosenScopes, manifestWith } from './scope-suggestions.ts';

/** The ordinary edit of the entry: everything of it stays, but for the scopes of its tools. */
export function useSaveScopes(entry: McpServer, onSaved: (entry: McpServer) => void) {
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (chosen: ChosenScopes) =>
      call(
        api.PUT('/api/workspaces/{slug}/mcp-servers/{name}', {
          params: { path: { slug, name: entry.name } },
          body: { ...inputOf(valuesOf(entry)), manifest: manifestWith(entry.manifest, chosen) },
        }),
      ),
    onSuccess: ({ mcp_server }) => {
      onSaved(mcp_server);
      queries.setQueryData(keys.mcpServers(slug, 'one', entry.name), mcp_server);
      return readAgainAfterEntryChange(queries, slug);
    },
  });
}
