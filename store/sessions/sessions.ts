/**
 * One session: its row, its status, and the end that was asked for: the first one wins, and the workflow
 * carries it out; and where its sidecar reaches the API, and where it is reached.
 */
import * as z from 'zod';
import { type Agent, agentKind } from '../../contract/agent.ts';
import {
  isTerminal,
  type Session,
  type SessionStatus,
  session,
  type TerminalStatus,
  terminalStatus,
} from '../../contract/session.ts';
import { actor } from '../../contract/session-event.ts';
import { type Db, prepared, type Transaction } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';

export const sessionColumns = Object.keys(session.shape) as (keyof Session)[];

const readStatement = `select ${sessionColumns.join(', ')} from sessions where id = $1`;

export async function readSession(db: Db, id: string): Promise<Session | null> {
  const [found] = await readRows(prepared(db, 'read_session', readStatement, [id]), session);
  return found ?? null;
}

/** Whether every member of the workspace may read the session. */
export async function isSharedWithWorkspace(db: Db, id: string): Promise<boolean> {
  const row = await db('sessions').where({ id }).first('shared_with_workspace');
  return row?.shared_with_workspace ?? false;
}

/**
 * The kind of the session's agent: as the session froze it, else as the agent is now. Null for a session that
 * does not exist. Throws a ZodError for a kind that is none.
 */
export async function agentKindOf(db: Db, sessionId: string): Promise<Agent['kind'] | null> {
  const statement = db.raw(
    `select coalesce(frozen.configuration #>> '{agent,kind}', a.kind) as kind
     from sessions s
     join agents a on a.id = s.agent_id
     left join session_configurations frozen on frozen.session_id = s.id
     where s.id = ?`,
    [sessionId],
  );
  const [row] = await readRows(statement, z.object({ kind: agentKind }));
  return row?.kind ?? null;
}

/**
 * The agent's name, which is also how its sessions are named in the audit trail; empty for an unknown agent.
 */
export async function agentNameOf(db: Db, agentId: string): Promise<string> {
  const row = await db('agents').where({ id: agentId }).first('name');
  return row?.name ?? '';
}

/**
 * How long a permission request of this session waits for a person, in seconds; null where the platform's
 * limit counts.
 */
export async function readRequestExpiry(db: Db, sessionId: string): Promise<number | null> {
  const row = await db('sessions').where({ id: sessionId }).first('request_expiry_seconds');
  return row?.request_expiry_seconds ?? null;
}

export interface NewSession {
  id: string;
  workspaceId: string;
  agentId: string;
  operatorId: string | null;
  rootOperatorId: string | null;
  parentSessionId: string | null;
  prompt: string;
  /**
   * Of the schedule that starts it, or the session at the top of its tree, whose expiry counts
   * for requests in all of it.
   */
  schedule?: { id: string; makerId: string; requestExpirySeconds: number | null };
  /** Idempotency key of the operator's request; null or absent when they sent none. */
  idempotencyKey?: string | null;
}

/**
 * Inserts a `pending` session; false, and nothing inserted, for an id or an idempotency
 * key that is already there.
 */
export async function insertSession(trx: Transaction, input: NewSession): Promise<boolean> {
  const inserted = await trx('sessions')
    .insert({
      id: input.id,
      workspace_id: input.workspaceId,
      agent_id: input.agentId,
      operator_id: input.operatorId,
      root_operator_id: input.rootOperatorId,
      parent_session_id: input.parentSessionId,
      prompt: input.prompt,
      idempotency_key: input.idempotencyKey ?? null,
      schedule_id: input.schedule?.id ?? null,
      schedule_maker_id: input.schedule?.makerId ?? null,
      request_expiry_seconds: input.schedule?.requestExpirySeconds ?? null,
    })
    .onConflict()
    .ignore()
    .returning('id');
  return inserted.length > 0;
}

/** The session that the operator started with this key, or null. */
export async function findSession(
  db: Db,
  {
    workspaceId,
    operatorId,
    idempotencyKey,
  }: Pick<NewSession, 'workspaceId' | 'operatorId' | 'idempotencyKey'>,
): Promise<Session | null> {
  if (operatorId === null || idempotencyKey == null) {
    return null;
  }
  const key = { workspace_id: workspaceId, operator_id: operatorId, idempotency_key: idempotencyKey };
  return readRow(db('sessions').where(key).first(sessionColumns), session);
}

/** The session, locked until the transaction ends, or null. */
export async function lockSession(trx: Transaction, id: string): Promise<Session | null> {
  return readRow(trx('sessions').where({ id }).forNoKeyUpdate().first(sessionColumns), session);
}

/** Locks the session until the transaction ends, without reading it. */
export async function lockSessionRow(trx: Transaction, id: string): Promise<void> {
  await trx('sessions').where({ id }).forNoKeyUpdate().select('id');
}

/** Whether the session exists and has not ended. */
export async function isUnfinished(db: Db, id: string): Promise<boolean> {
  return (await db('sessions').where({ id }).whereNull('ended_at').first('id')) !== undefined;
}

/** Writes another status, with the time when the session first ran, or its end and outcome. */
export async function updateStatus(
  trx: Transaction,
  { id, started_at: startedAt }: Session,
  {
    to,
    reason,
    outcome,
  }: {
    to: SessionStatus;
    reason: string | null;
    outcome: { outcome: TerminalStatus; summary: string | null } | null;
  },
): Promise<void> {
  await trx('sessions')
    .where({ id })
    .update({
      status: to,
      status_reason: reason,
      ...(to === 'running' && startedAt === null ? { started_at: trx.fn.now() } : {}),
      ...(isTerminal(to)
        ? { ended_at: trx.fn.now(), outcome: outcome === null ? null : JSON.stringify(outcome) }
        : {}),
    });
}

const requestedEnding = z.strictObject({
  by: actor,
  status: terminalStatus,
  reason: z.string(),
  summary: z.string().nullable(),
});
type RequestedEnding = z.infer<typeof requestedEnding>;

/** Set once: later requests, and requests for a session that has ended, change nothing. */
export async function requestEnding(db: Db, id: string, ending: RequestedEnding): Promise<void> {
  await db('sessions')
    .where({ id })
    .whereNull('requested_ending')
    .whereNull('ended_at')
    .update({ requested_ending: JSON.stringify(requestedEnding.parse(ending)) });
}

export async function readRequestedEnding(db: Db, id: string): Promise<RequestedEnding | null> {
  const row = await db('sessions').where({ id }).first('requested_ending');
  return row?.requested_ending == null ? null : requestedEnding.parse(row.requested_ending);
}

/** Stores the API URL given to the session's sidecar. */
export async function setApiUrl(db: Db, id: string, url: string): Promise<void> {
  await db('sessions').where({ id }).update({ api_url: url });
}

/** Null when there is no such session; `apiUrl` is null for one that was not started yet. */
export async function readApiUrl(db: Db, id: string): Promise<{ apiUrl: string | null } | null> {
  const row = await db('sessions').where({ id }).first('api_url');
  return row === undefined ? null : { apiUrl: row.api_url };
}

/** Where the session's sidecar currently accepts input; a restarted sidecar reports another address. */
export async function setControlUrl(db: Db, id: string, url: string): Promise<void> {
  await db('sessions').where({ id }).update({ control_url: url });
}

export async function readControlUrl(db: Db, id: string): Promise<string | null> {
  const row = await db('sessions').where({ id }).first('control_url');
  return row?.control_url ?? null;
}
