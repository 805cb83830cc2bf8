/** What can run here now, and what an agent or an edit learns about it. */

import { isDeepStrictEqual } from 'node:util';
import type { ApiConfig } from '../config/api.ts';
import type { Agent } from '../contract/agent.ts';
import { type Availability, availabilityOf, unavailableAgent } from '../contract/available-runs.ts';
import type { FieldProblem } from '../contract/errors.ts';
import { listAttachedEntries } from '../store/attachments/attachments.ts';
import type { Db } from '../store/database.ts';
import { listWorkers } from '../store/workers/workers.ts';
import { readWhyNoRepository } from './repositories/named-repository.ts';

/** What can run here now, according to the configuration and the running workers. */
export async function readAvailability(db: Db, config: Pick<ApiConfig, 'RUNTIME'>): Promise<Availability> {
  const workers = (await listWorkers(db)).filter(({ is_running }) => is_running);
  return availabilityOf(
    config.RUNTIME,
    workers.map(({ capabilities }) => capabilities),
  );
}

/**
 * Returns a function that says why sessions of an agent cannot start here, by itself, for one of its MCP
 * servers or for its repository; null when they can.
 */
export async function readWhyUnavailable(
  { db, config }: { db: Db; config: Pick<ApiConfig, 'RUNTIME' | 'PRIVATE_REPOSITORY_HOSTS'> },
  agents: readonly Agent[],
): Promise<(agent: Agent) => string | null> {
  const here = await readAvailability(db, config);
  const whyNoRepository = await readWhyNoRepository({ db, config }, agents);
  const entries = await listAttachedEntries(
    db,
    agents.map(({ id }) => id),
  );
  return (agent) =>
    unavailableAgent(
      agent,
      entries.filter(({ agent_id }) => agent_id === agent.id),
      here,
    ) ?? whyNoRepository(agent);
}

/**
 * Returns the problems of fields that an edit changes: other fields of something that can no longer run stay
 * editable, such as `approvers`.
 */
export function whereChanged(
  problems: readonly FieldProblem[],
  before: object,
  after: object,
): FieldProblem[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const changed = new Set(
    Object.entries(after).flatMap(([field, value]) =>
      isDeepStrictEqual(old.get(field), value) ? [] : [field],
    ),
  );
  return problems.filter(({ path }) => changed.has(path.split('.')[0] ?? path));
}
