/** Adds the remote server to the demo workspace, and the agent that uses it. Existing content stays as it is. */
import type { ApiClient } from './api-client.ts';
import { ticketClerk, ticketsServer } from './demo-remote-content.ts';
import { addUnlessRefused, ensureAgent, ensureEntries } from './seed-demo.ts';

/**
 * `url` is its MCP endpoint. The platform registers there by itself, which nothing here waits for: the entry's page shows the outcome. What the API refuses,
 * as where sessions have no sandbox, is a line of `progress`: the rest of the demo works without it.
 */
export const addDemoRemote = (ada: ApiClient, url: string, progress: (line: string) => void): Promise<void> =>
  addUnlessRefused('no remote server', progress, async () => {
    await ensureEntries(ada, [ticketsServer(url)]);
    await ensureAgent(ada, ticketClerk);
  });
