/** Agents, as their rows have them. */
import * as z from 'zod';
import { type Agent, type AgentInput, type AgentPatch, agent } from '../../contract/agent.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db, Transaction } from '../database.ts';
import { decodeCursor, readPage } from '../page.ts';
import { withSessionsOfAgent } from '../sessions/of-agent.ts';
import { nameForms } from '../shown-names.ts';

/** Columns of an agent, as the contract names them. */
const agentColumns = [
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
  'repository',
  'archived_at',
  'created_at',
  'updated_at',
] as const;

const jsonColumns = new Set([
  ...['run', 'env', 'siblings', 'services', 'egress_allow', 'limits', 'model_access', 'repository'],
]);

/** Parsed on every read: a row that does not fit the contract is refused, not run. */
export function presentAgent(row: unknown): Agent {
  return agent.parse(row);
}

/**
 * Fields for an insert or update; JSON columns are given as text, since arrays would become Postgres arrays.
 */
function agentRow(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      jsonColumns.has(name) && value !== null ? JSON.stringify(value) : value,
    ]),
  );
}

/** The agent, or null. The caller checks that its workspace is the right one. */
export async function readAgent(db: Db, id: string): Promise<Agent | null> {
  const row = await db('agents').where({ id }).first(agentColumns);
  return row === undefined ? null : presentAgent(row);
}

/** The workspace's agent of exactly this name, or null. */
export async function readAgentByName(db: Db, workspaceId: string, name: string): Promise<Agent | null> {
  const row = await db('agents').where({ workspace_id: workspaceId, name }).first(agentColumns);
  return row === undefined ? null : presentAgent(row);
}

/** Those of the agents that exist. */
export async function readAgents(db: Db, ids: readonly string[]): Promise<Agent[]> {
  const rows = ids.length === 0 ? [] : await db('agents').whereIn('id', ids).select(agentColumns);
  return rows.map(presentAgent);
}

/** The agent, locked until the transaction ends, so that edits and new sessions of it wait for each other. */
export async function lockAgent(db: Db, id: string): Promise<Agent | null> {
  const row = await db('agents').where({ id }).forUpdate().first(agentColumns);
  return row === undefined ? null : presentAgent(row);
}

/** A workspace's agents by name; `archived` selects those that are, or are not. Throws InvalidCursorError. */
export async function listAgents(
  db: Db,
  workspaceId: string,
  { archived, ...page }: PageQuery & { archived?: boolean | undefined },
): Promise<Page<Agent>> {
  const after = decodeCursor(page.cursor, z.string());
  const query = db('agents')
    .where({ workspace_id: workspaceId })
    .modify((query) => archived !== undefined && query.whereRaw('(archived_at is not null) = ?', [archived]))
    .modify((query) => after !== null && query.where('name', '>', after))
    .orderBy('name')
    .select(agentColumns);
  const { rows, nextCursor } = await readPage(db, query, agent, page.limit, ({ name }) => name);
  return { items: rows, nextCursor };
}

interface KeptAgent {
  isArchived: boolean;
}

/**
 * Which of the agents are of the workspace. They stay, and are neither archived nor changed, until the
 * transaction ends.
 */
export async function keepAgents(
  trx: Transaction,
  workspaceId: string,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, KeptAgent>> {
  const rows = await trx('agents')
    .where({ workspace_id: workspaceId })
    .whereIn('id', [...agentIds])
    .orderBy('id')
    .forKeyShare()
    .select('id', 'archived_at');
  return new Map(rows.map(({ id, archived_at: at }) => [id, { isArchived: at !== null }]));
}

/** Null when the workspace has an agent of that name, or of one that looks like it. */
export async function insertAgent(
  trx: Transaction,
  { workspaceId, ownerId, input }: { workspaceId: string; ownerId: string; input: AgentInput },
): Promise<Agent | null> {
  const [row] = await trx('agents')
    .insert({
      ...agentRow(input),
      ...nameForms(input.name),
      workspace_id: workspaceId,
      owner_id: ownerId,
    })
    .onConflict()
    .ignore()
    .returning(agentColumns);
  return row === undefined ? null : presentAgent(row);
}

/**
 * Returns the agent as it is then. Fails with `sqlState.uniqueViolation` when the workspace has an agent of
 * that name, or of one that looks like it.
 */
export async function updateAgentRow(trx: Transaction, id: string, fields: AgentPatch): Promise<Agent> {
  const forms = fields.name === undefined ? {} : nameForms(fields.name);
  const [row] = await trx('agents')
    .where({ id })
    .update({ ...agentRow(fields), ...forms, updated_at: trx.fn.now() })
    .returning(agentColumns);
  return presentAgent(row);
}

/** Archives the agent, or takes that back. Takes a transaction that locked it. */
export async function setArchived(trx: Transaction, id: string, isArchived: boolean): Promise<Agent> {
  const [row] = await trx('agents')
    .where({ id })
    .update({ archived_at: isArchived ? trx.fn.now() : null })
    .returning(agentColumns);
  return presentAgent(row);
}

/** Deletes the agent with all that refers to it. */
export async function deleteAgent(trx: Transaction, id: string): Promise<void> {
  await trx.raw(
    `${withSessionsOfAgent} delete from grant_uses where session_id in (select id from affected)`,
    [id],
  );
  await trx('agents').where({ id }).delete();
}

/**
 * Lets the statements of this transaction take longer than others may: all that an agent's sessions left is
 * deleted with it.
 */
export async function allowLongDeletion(trx: Transaction): Promise<void> {
  await trx.raw(`set local statement_timeout = '10min'`);
}
