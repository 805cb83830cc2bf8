/** Adds the remote server to the demo workspace, and the agent that uses it. Existing content stays as it is. */
import type { ApiClient } from './api-client.ts';
import { ticketClerk, ticketsServer } from './demo-remote-content.ts';
import { ensureAgent, ensureEntries } from './seed-demo.ts';
import { StartError } from './start-error.ts';

/**
 * `url` is its MCP endpoint. The platform registers there by itself, which nothing here waits for: the entry's page shows the outcome. What the API refuses,
 * as where sessions have no sandbox, is a line of `progress`: the rest of the demo works without it.
 */
export async function addDemoRemote(
  ada: ApiClient,
  url: string,
  progress: (line: string) => void,
): Promise<void> {
  try {
    await ensureEntries(ada, [ticketsServer(url)]);
    await ensureAgent(ada, ticketClerk);
  } catch (error) {
    if (!(error instanceof StartError)) {
      throw error;
    }
    progress(`The demo has no remote server: ${error.message}`);
  }
}
