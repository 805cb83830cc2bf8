/**
 * Requests of sessions to language models, and what they took together (docs/storage.md). Each takes the id
 * that the model program chose.
 */
import type { Knex } from 'knex';
import * as z from 'zod';
import type { WorkspaceInsights } from '../../contract/home.ts';
import { homeBounds } from '../../contract/home-bounds.ts';
import {
  type DailyModelUsage,
  dailyModelUsage,
  type ModelUsageReport,
  modelCounts,
} from '../../contract/model-access.ts';
import { defaultEndpointName } from '../../contract/model-endpoint.ts';
import { uuid } from '../../contract/names.ts';
import { type FrozenModelAccess, frozenModelAccess } from '../../contract/session.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import { whereReadableBy } from '../sessions/conditions.ts';

const totals = z.object({
  ...modelCounts,
  reserved_tokens: z.int(),
  requests_reached: z.boolean(),
  tokens_reached: z.boolean(),
});
/** What a session's requests took so far; `…_reached`: one was refused because of that limit. */
export type ModelTotals = z.infer<typeof totals>;

const noTotals: ModelTotals = {
  requests: 0,
  failed_requests: 0,
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
  reserved_tokens: 0,
  requests_reached: false,
  tokens_reached: false,
};

const columns = `requests, failed_requests, input_tokens, cache_creation_input_tokens, cache_read_input_tokens,
  output_tokens, reserved_tokens, requests_reached_at is not null as requests_reached, tokens_reached_at is not null as tokens_reached`;

/**
 * The access to a model that the session froze, without the rest of its configuration; null without
 * one, and before the freeze.
 */
export async function readModelAccess(db: Db, sessionId: string): Promise<FrozenModelAccess | null> {
  const row = await readRow(
    db('session_configurations')
      .where({ session_id: sessionId })
      .first(db.raw(`configuration #> '{agent,model_access}' as access`)),
    z.object({ access: frozenModelAccess.nullable() }),
  );
  return row?.access ?? null;
}

/** The totals, all 0 before the first request. */
export async function readModelTotals(db: Db, sessionId: string): Promise<ModelTotals> {
  const [row] = await readRows(
    db.raw(`select ${columns} from model_usage where session_id = ?`, [sessionId]),
    totals,
  );
  return row ?? noTotals;
}

/** The same, which nobody else changes until the transaction ends. */
export async function lockModelTotals(trx: Transaction, sessionId: string): Promise<ModelTotals> {
  await trx.raw('insert into model_usage (session_id) values (?) on conflict do nothing', [sessionId]);
  const rows = trx.raw(`select ${columns} from model_usage where session_id = ? for no key update`, [
    sessionId,
  ]);
  return onlyRow(await readRows(rows, totals));
}

/** Whether the request was allowed before. */
export async function isKnownRequest(db: Db, request: { sessionId: string; id: string }): Promise<boolean> {
  const known = await db('model_requests')
    .where({ session_id: request.sessionId, id: request.id })
    .first('id');
  return known !== undefined;
}

/** Counts a request, and sets its output aside. Takes a transaction that locked the totals. */
export async function insertModelRequest(
  trx: Transaction,
  { sessionId, id, maxTokens }: { sessionId: string; id: string; maxTokens: number },
): Promise<void> {
  await trx('model_requests').insert({ session_id: sessionId, id, max_tokens: maxTokens });
  await trx.raw(
    'update model_usage set requests = requests + 1, reserved_tokens = reserved_tokens + ? where session_id = ?',
    [maxTokens, sessionId],
  );
}

/** Notes that a request was refused because of the limit; false when one was before. */
export async function markLimitReached(
  trx: Transaction,
  sessionId: string,
  limit: 'requests' | 'tokens',
): Promise<boolean> {
  const column = `${limit}_reached_at` as const;
  const marked = await trx('model_usage')
    .where({ session_id: sessionId })
    .whereNull(column)
    .update({ [column]: trx.fn.now() });
  return marked > 0;
}

const settle = `
  with settled as (
    update model_requests set reported_at = now() where session_id = :sessionId and id = :id and reported_at is null
    returning max_tokens
  ), summed as (
    update model_usage set
      reserved_tokens = reserved_tokens - settled.max_tokens,
      failed_requests = failed_requests + :failed,
      input_tokens = input_tokens + :input,
      cache_creation_input_tokens = cache_creation_input_tokens + :created,
      cache_read_input_tokens = cache_read_input_tokens + :read,
      output_tokens = output_tokens + :output
    from settled where session_id = :sessionId
    returning session_id
  )
  insert into model_usage_days as d (session_id, day, endpoint, requests, failed_requests, input_tokens,
    cache_creation_input_tokens, cache_read_input_tokens, output_tokens)
  select session_id, (now() at time zone 'utc')::date, coalesce(configuration #>> '{agent,model_access,endpoint}', :usual),
    1, :failed, :input, :created, :read, :output
  from summed join session_configurations using (session_id)
  on conflict (session_id, day) do update set
    requests = d.requests + excluded.requests,
    failed_requests = d.failed_requests + excluded.failed_requests,
    input_tokens = d.input_tokens + excluded.input_tokens,
    cache_creation_input_tokens = d.cache_creation_input_tokens + excluded.cache_creation_input_tokens,
    cache_read_input_tokens = d.cache_read_input_tokens + excluded.cache_read_input_tokens,
    output_tokens = d.output_tokens + excluded.output_tokens`;

/**
 * Adds what the request took, in place of what was set aside for it. The first report counts; another one, or
 * one of an unknown request, changes nothing.
 */
export async function settleModelRequest(
  db: Db,
  { sessionId, id }: { sessionId: string; id: string },
  usage: ModelUsageReport,
): Promise<void> {
  await db.raw(settle, {
    sessionId,
    id,
    usual: defaultEndpointName,
    failed: usage.outcome === 'failed' ? 1 : 0,
    input: usage.input_tokens,
    created: usage.cache_creation_input_tokens,
    read: usage.cache_read_input_tokens,
    output: usage.output_tokens,
  });
}

/** Tokens of requests that are over, whatever they were used for. */
export const usedTokens = `input_tokens + cache_creation_input_tokens + cache_read_input_tokens + output_tokens`;

interface DailyUsageFilter {
  workspaceId: string;
  agentId: string | undefined;
  /** Of the sessions that this user may read without being an admin; undefined: of all. */
  readableBy: string | undefined;
  /** So many days, with today (UTC). */
  days: number;
}

/** More than a page shows: the rest is left out, the oldest first. */
const mostDailyRows = 1000;
const dailyRow = dailyModelUsage.omit({ agent: true }).extend({ agent_id: uuid, agent_name: z.string() });

/** What sessions took, by day, agent and endpoint, newest first. */
export async function listDailyUsage(db: Db, filter: DailyUsageFilter): Promise<DailyModelUsage[]> {
  const sum = (column: string) => `sum(u.${column})::bigint as ${column}`;
  const query = usageOfSessions(db, filter)
    .groupBy('u.day', 'a.id', 'a.name', 'u.endpoint')
    .orderByRaw(`u.day desc, sum(${usedTokens}) desc, a.id, u.endpoint`)
    .limit(mostDailyRows)
    .select(
      db.raw(`u.day::text as day, a.id as agent_id, a.name as agent_name, u.endpoint,
        count(*)::integer as sessions, sum(requests)::integer as requests,
        sum(failed_requests)::integer as failed_requests,
        ${['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'].map(sum).join(', ')},
        sum(${usedTokens})::bigint as used_tokens`),
    );
  const rows = await readRows(query, dailyRow);
  return rows.map(({ agent_id: id, agent_name: name, ...row }) => ({ ...row, agent: { id, name } }));
}

const summedRow = dailyRow
  .pick({ agent_id: true, agent_name: true, endpoint: true, used_tokens: true })
  .extend({ total: z.int() });

/** The same of all the days, most tokens first; `total` is also of what is left out (`homeBounds.modelUses`). */
export async function sumUsageByAgent(
  db: Db,
  filter: Omit<DailyUsageFilter, 'agentId'>,
): Promise<WorkspaceInsights['model_tokens']> {
  const query = usageOfSessions(db, { ...filter, agentId: undefined })
    .groupBy('a.id', 'a.name', 'u.endpoint')
    .orderByRaw(`sum(${usedTokens}) desc, a.id, u.endpoint`)
    .limit(homeBounds.modelUses)
    .select(
      db.raw(`a.id as agent_id, a.name as agent_name, u.endpoint, sum(${usedTokens})::bigint as used_tokens,
        (sum(sum(${usedTokens})) over ())::bigint as total`),
    );
  const rows = await readRows(query, summedRow);
  return {
    total: rows[0]?.total ?? 0,
    uses: rows.map(({ agent_id: id, agent_name: name, endpoint, used_tokens }) => ({
      ...{ agent: { id, name }, endpoint, used_tokens },
    })),
  };
}

function usageOfSessions(
  db: Db,
  { workspaceId, agentId, readableBy, days }: DailyUsageFilter,
): Knex.QueryBuilder {
  const query = db('model_usage_days as u')
    .join('sessions as s', 's.id', 'u.session_id')
    .join('agents as a', 'a.id', 's.agent_id')
    .where({ 's.workspace_id': workspaceId })
    .whereRaw(`u.day > (now() at time zone 'utc')::date - ?::integer`, [days]);
  if (agentId !== undefined) {
    query.where({ 's.agent_id': agentId });
  }
  if (readableBy !== undefined) {
    query.where((either) => whereReadableBy(either, readableBy));
  }
  return query;
}
