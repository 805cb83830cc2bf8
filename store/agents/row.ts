import { type Agent, agent } from '../../contract/agent.ts';

/** Columns of an agent, as the contract names them. */
export const agentColumns = [
  'id',
  'workspace_id',
  'owner_id',
  'name',
  'kind',
  'run',
  'instructions',
  'model',
  'env',
  'siblings',
  'services',
  'network',
  'egress_allow',
  'limits',
  'model_access',
  'archived_at',
  'created_at',
  'updated_at',
] as const;

const jsonColumns = new Set(['run', 'env', 'siblings', 'services', 'egress_allow', 'limits', 'model_access']);

/** Parsed on every read: a row that does not fit the contract is refused, not run. */
export function presentAgent(row: unknown): Agent {
  return agent.parse(row);
}

/** Fields for an insert or update; JSON columns are given as text, since arrays would become Postgres arrays. */
export function agentRow(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      jsonColumns.has(name) && value !== null ? JSON.stringify(value) : value,
    ]),
  );
}
