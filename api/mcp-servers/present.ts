/**
 * Catalog entries as people read them: with why this installation cannot run one, and how a
 * remote one became usable.
 */
import * as z from 'zod';
import { type Availability, unavailableEntry } from '../../contract/available-runs.ts';
import { type McpServer, mcpServer } from '../../contract/catalog.ts';
import { mcpRegistration } from '../../contract/mcp-registration.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../../store/database.ts';
import { readShownRegistrations } from '../mcp-registrations/present.ts';

export const shownMcpServer = mcpServer.extend({
  /** Why sessions with it fail at their start; null when it can run. */
  unavailable: z.strictObject({ reason: z.string() }).nullable(),
  /** Of a remote server. */
  registration: mcpRegistration.nullable(),
});

/** Where the entry would run, and who reads it. */
export interface Visited {
  here: Availability;
  role: WorkspaceRole;
}

type ShownMcpServer = z.infer<typeof shownMcpServer>;

export async function presentMcpServers(
  db: Db,
  servers: readonly McpServer[],
  { here, role }: Visited,
): Promise<ShownMcpServer[]> {
  const remote = servers.filter(({ shape }) => shape.type === 'remote').map(({ id }) => id);
  const registrations = await readShownRegistrations(db, remote, { role });
  return servers.map((server) => {
    const reason = unavailableEntry(server, here);
    return {
      ...server,
      unavailable: reason === null ? null : { reason },
      registration: registrations.get(server.id) ?? null,
    };
  });
}

export async function presentMcpServer(db: Db, server: McpServer, visited: Visited): Promise<ShownMcpServer> {
  const [shown] = await presentMcpServers(db, [server], visited);
  return shown as ShownMcpServer;
}
