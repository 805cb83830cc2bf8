/** Whole lists of configuration, for pages that search in them and fields that pick from them. */
import { type QueryKey, queryOptions, useQuery } from '@tanstack/react-query';
import { askWhilePending } from '../text/registration-state.ts';
import { api, call } from './client.ts';
import { keys } from './keys.ts';
import type { Agent, ChangedServer, McpServer, Secret } from './types.ts';

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

const limit = 200;

/** Every item, page by page in their order; ends with the page that reaches `most` items. */
export async function fetchAll<Item>(
  fetchPage: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
  most = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && items.length < most) {
    const page: Page<Item> = await fetchPage({ limit, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

type Fetch<Item> = (query: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>;

const allOf = <Item>(queryKey: QueryKey, fetchPage: Fetch<Item>) =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) => fetchAll((query) => fetchPage(query, signal)),
  });

const allSecrets = (slug: string) =>
  allOf<Secret>(keys.secrets(slug, 'all'), async (query, signal) => {
    const params = { path: { slug }, query };
    const page = await call(api.GET('/api/workspaces/{slug}/secrets', { params, signal }));
    return { items: page.secrets, next_cursor: page.next_cursor };
  });

export const allServers = (slug: string) =>
  allOf<McpServer>(keys.mcpServers(slug, 'all'), async (query, signal) => {
    const params = { path: { slug }, query };
    const page = await call(api.GET('/api/workspaces/{slug}/mcp-servers', { params, signal }));
    return { items: page.mcp_servers, next_cursor: page.next_cursor };
  });

export const allAgents = (slug: string) =>
  allOf<Agent>(keys.agents(slug, 'all'), async (query, signal) => {
    const params = { path: { slug }, query };
    const page = await call(api.GET('/api/workspaces/{slug}/agents', { params, signal }));
    return { items: page.agents, next_cursor: page.next_cursor };
  });

/** Entries whose current version has definitions of tools that wait for an admin. */
export const changedServers = (slug: string) =>
  allOf<ChangedServer>(keys.changedServers(slug), async (query, signal) => {
    const params = { path: { slug }, query };
    const page = await call(api.GET('/api/workspaces/{slug}/changed-mcp-servers', { params, signal }));
    return { items: page.changed_mcp_servers, next_cursor: page.next_cursor };
  });

export const useAllSecrets = (slug: string) => useQuery(allSecrets(slug));
export const useAllServers = (slug: string) =>
  useQuery({
    ...allServers(slug),
    refetchInterval: ({ state: { data } }) => askWhilePending(data, 5000),
  });
export const useAllAgents = (slug: string) => useQuery(allAgents(slug));
/** Agents to choose from: those that are not archived, and the one that is chosen already. */
export function useChoosableAgents(slug: string, chosen: readonly string[] = []): Agent[] {
  const { data = [] } = useAllAgents(slug);
  return data.filter(({ id, archived_at: at }) => at === null || chosen.includes(id));
}
export const useChangedServers = (slug: string) => useQuery(changedServers(slug));
