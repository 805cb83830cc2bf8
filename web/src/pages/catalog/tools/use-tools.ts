/** What is accepted of an entry's tools, and what waits for an admin; of one version of the entry. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../../api/client.ts';
import { keys } from '../../../api/keys.ts';
import { stale } from '../../../api/stale.ts';
import type { ToolDefinition, ToolDifference } from '../../../api/types.ts';
import { useApiMutation } from '../../../api/use-api-mutation.ts';
import { useList } from '../../../api/use-list.ts';
import { batchesOf } from './accept-batches.ts';

export interface EntryVersion {
  slug: string;
  name: string;
  version: number;
}

const keyOf = ({ slug, name, version }: EntryVersion, list: string) =>
  keys.mcpServers(slug, 'tools', name, version, list);

const pageOf = ({ slug, name, version }: EntryVersion, cursor: string | undefined) => ({
  path: { slug, name },
  query: { version, ...(cursor === undefined ? {} : { cursor }) },
});

/** How the version got the definitions that count as accepted; null when no complete list has been seen. */
export const usePinned = (entry: EntryVersion) =>
  useQuery({
    queryKey: keyOf(entry, 'pinned'),
    queryFn: async ({ signal }) => {
      const { path, query } = pageOf(entry, undefined);
      const params = { path, query: { ...query, limit: 1 } };
      const route = '/api/workspaces/{slug}/mcp-servers/{name}/tool-definitions';
      return (await call(api.GET(route, { params, signal }))).pinned;
    },
  });

export const useAccepted = (entry: EntryVersion) =>
  useList<ToolDefinition>({
    queryKey: keyOf(entry, 'accepted'),
    async fetchPage({ cursor, signal }) {
      const params = pageOf(entry, cursor);
      const route = '/api/workspaces/{slug}/mcp-servers/{name}/tool-definitions';
      const page = await call(api.GET(route, { params, signal }));
      return { items: page.tool_definitions, next_cursor: page.next_cursor };
    },
  });

export const useDifferences = (entry: EntryVersion) =>
  useList<ToolDifference>({
    queryKey: keyOf(entry, 'differences'),
    async fetchPage({ cursor, signal }) {
      const params = pageOf(entry, cursor);
      const route = '/api/workspaces/{slug}/mcp-servers/{name}/tool-differences';
      const page = await call(api.GET(route, { params, signal }));
      return { items: page.tool_differences, next_cursor: page.next_cursor };
    },
  });

/** Accepts exactly these definitions, by their ids. Resolves to how many waited until now. */
export function useAccept({ slug, name }: EntryVersion, onAccepted: () => void) {
  const invalidates = stale.toolDefinitions(slug);
  return useApiMutation({
    async send(ids: readonly string[]) {
      let accepted = 0;
      for (const batch of batchesOf(ids)) {
        const params = { path: { slug, name } };
        const route = '/api/workspaces/{slug}/mcp-servers/{name}/tool-differences/accept';
        accepted += (await call(api.POST(route, { params, body: { ids: batch } }))).accepted;
      }
      return accepted;
    },
    invalidates,
    // Of several requests the first may have succeeded.
    invalidatesOnError: invalidates,
    onRefetched: onAccepted,
  });
}
