/** Agents whose part in a `spawn` grant has no effect. */
import * as z from 'zod';
import { agentKind } from '../../contract/agent.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

export interface AgentOfSpawn {
  /** Only an orchestrator starts others. */
  startsOthers: boolean;
  /** One that attaches a remote server is started by people alone. */
  isStartable: boolean;
}

/** Those of the agents that are in the workspace, by id. */
export async function readAgentsOfSpawn(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AgentOfSpawn>> {
  if (ids.length === 0) {
    return new Map();
  }
  const statement = db.raw(
    `select id::text, kind, archived_at is null and not exists (
       select from agent_mcp_attachments held join mcp_servers entry on entry.id = held.mcp_server_id
       where held.agent_id = agents.id and entry.shape ->> 'type' = 'remote') as startable
     from agents where workspace_id = :workspaceId and id::text = any(:ids::text[])`,
    { workspaceId, ids: [...new Set(ids)] },
  );
  const rows = await readRows(
    statement,
    z.object({ id: z.string(), kind: agentKind, startable: z.boolean() }),
  );
  return new Map(
    rows.map(({ id, kind, startable }) => [
      id,
      { startsOthers: kind === 'orchestrator', isStartable: startable },
    ]),
  );
}
