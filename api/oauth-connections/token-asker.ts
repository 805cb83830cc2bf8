/** For whom, and for which server, a bridge asks for access tokens. */
import type { FrozenServer } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { readCheckConfiguration } from '../../store/mcp-checks/move.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import type { ContextByScope } from '../route.ts';

export interface TokenAsker {
  workspaceId: string;
  /** The person whose sign-in counts; null for a session that nobody drives, such as a child. */
  userId: string | null;
  /** As it was frozen. */
  server: FrozenServer;
  /** Null for a check, during which nobody is asked to sign in. */
  sessionId: string | null;
}

/** Null when nothing of that name was frozen. */
export async function readAsker(
  db: Db,
  { workload }: ContextByScope['workload'],
  serverName: string,
): Promise<TokenAsker | null> {
  if (workload.kind === 'check') {
    const { id, workspace_id: workspaceId, started_by: userId } = workload.check;
    const server = serverOf(await readCheckConfiguration(db, id), serverName);
    return server && { workspaceId, userId, server, sessionId: null };
  }
  const { id, workspace_id: workspaceId, operator_id: userId } = workload.session;
  const server = serverOf(await readConfiguration(db, id), serverName);
  return server && { workspaceId, userId, server, sessionId: id };
}

const serverOf = (
  configuration: { servers: readonly FrozenServer[] } | null,
  serverName: string,
): FrozenServer | null => configuration?.servers.find(({ name }) => name === serverName) ?? null;
