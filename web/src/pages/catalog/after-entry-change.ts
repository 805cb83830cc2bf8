import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys.ts';

/** Refreshes what an edit of an entry changes elsewhere: which agents can run, and which grants count. */
export async function readAgainAfterEntryChange(queries: QueryClient, slug: string): Promise<void> {
  void queries.invalidateQueries({ queryKey: keys.agents(slug) });
  void queries.invalidateQueries({ queryKey: keys.grants(slug) });
  await queries.invalidateQueries({ queryKey: keys.mcpServers(slug) });
}
