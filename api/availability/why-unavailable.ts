import type { ApiConfig } from '../../config/api.ts';
import type { Agent } from '../../contract/agent.ts';
import { unavailableAgent } from '../../contract/available-runs.ts';
import { listAttachedEntries } from '../../store/attachments/list-attached-entries.ts';
import type { Db } from '../../store/database.ts';
import { readAvailability } from './read-availability.ts';

/** Returns a function that says why sessions of an agent cannot start here, by itself or for one of its MCP servers; null when they can. */
export async function readWhyUnavailable(
  { db, config }: { db: Db; config: Pick<ApiConfig, 'RUNTIME'> },
  agents: readonly Agent[],
): Promise<(agent: Agent) => string | null> {
  const here = await readAvailability(db, config);
  const entries = await listAttachedEntries(
    db,
    agents.map(({ id }) => id),
  );
  return (agent) =>
    unavailableAgent(
      agent,
      entries.filter(({ agent_id }) => agent_id === agent.id),
      here,
    );
}
