/** Catalog entries as people read them: with why this installation cannot run one. */
import * as z from 'zod';
import { type Availability, unavailableEntry } from '../../../contract/available-runs.ts';
import { type McpServer, mcpServer } from '../../../contract/catalog.ts';

export const shownMcpServer = mcpServer.extend({
  /** Why sessions with it fail at their start; null when it can run. */
  unavailable: z.strictObject({ reason: z.string() }).nullable(),
});

export function presentMcpServer(server: McpServer, here: Availability): z.infer<typeof shownMcpServer> {
  const reason = unavailableEntry(server, here);
  return { ...server, unavailable: reason === null ? null : { reason } };
}
