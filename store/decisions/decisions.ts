/** Decisions of humans, stored before a workflow carries them out; workflows receive the id only. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Db, Transaction } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';

export interface Decision {
  id: string;
  workspaceId: string;
  requestId: string | null;
  kind: 'approve' | 'deny';
  userId: string;
  reason: string | null;
  /** The signed approval; null for a denial. */
  approval: string | null;
  /** A denial after which the session's requests are refused at once. */
  mutesSession: boolean;
}

/** The grant that an approval creates, and the idempotency key of the request for it. */
export interface ApprovalOrigin {
  grantId: string;
  /** Null when the caller sent none. */
  idempotencyKey: string | null;
  /** Hash of the request's input, so that a key is not reused for another request. */
  inputSha256: string;
}

/**
 * False when the same person has used the idempotency key in this workspace before: nothing is stored then.
 */
export async function insertDecision(
  db: Db,
  input: Omit<Decision, 'mutesSession'> & { mutesSession?: boolean; origin?: ApprovalOrigin },
): Promise<boolean> {
  const query = db('decisions').insert({
    id: input.id,
    workspace_id: input.workspaceId,
    request_id: input.requestId,
    kind: input.kind,
    user_id: input.userId,
    reason: input.reason,
    approval: input.approval,
    mutes_session: input.mutesSession ?? false,
    grant_id: input.origin?.grantId ?? null,
    idempotency_key: input.origin?.idempotencyKey ?? null,
    input_sha256: input.origin?.inputSha256 ?? null,
  });
  const stored = await query
    .onConflict(db.raw('(workspace_id, user_id, idempotency_key) where idempotency_key is not null'))
    .ignore()
    .returning('id');
  return stored.length > 0;
}

const storedApproval = z.object({
  decisionId: uuid,
  requestId: uuid.nullable(),
  grantId: uuid,
  inputSha256: z.string(),
});

/** The person's approval with this key, or null. */
export function findApproval(
  db: Db,
  { workspaceId, userId, idempotencyKey }: { workspaceId: string; userId: string; idempotencyKey: string },
): Promise<z.infer<typeof storedApproval> | null> {
  const query = db('decisions')
    .where({ workspace_id: workspaceId, user_id: userId, idempotency_key: idempotencyKey })
    .first({
      decisionId: 'id',
      requestId: 'request_id',
      grantId: 'grant_id',
      inputSha256: 'input_sha256',
    });
  return readRow(query, storedApproval);
}

export async function readDecision(db: Db, id: string): Promise<Decision | null> {
  const row = await db('decisions').where({ id }).first();
  return row === undefined
    ? null
    : {
        id: row.id,
        workspaceId: row.workspace_id,
        requestId: row.request_id,
        kind: row.kind,
        userId: row.user_id,
        reason: row.reason,
        approval: row.approval,
        mutesSession: row.mutes_session,
      };
}

/**
 * Takes part in what carries the decision out: false when it was withdrawn before, and then
 * nothing of that may stay.
 */
export async function markCarriedOut(trx: Transaction, id: string): Promise<boolean> {
  const marked = await trx('decisions')
    .where({ id })
    .whereNull('withdrawn_at')
    .update({ carried_out_at: trx.raw('coalesce(carried_out_at, now())') });
  return marked > 0;
}

const withdrawnDecision = z.object({
  workspace_id: uuid,
  request_id: uuid.nullable(),
  grant_id: uuid.nullable(),
  kind: z.enum(['approve', 'deny']),
  user_id: uuid,
});
export type WithdrawnDecision = z.infer<typeof withdrawnDecision>;

/**
 * Withdraws a decision unless it was carried out, so that it never is; waits for a worker that is about to.
 * Its idempotency key is free again. Null when it was carried out, or withdrawn before.
 */
export function markWithdrawn(trx: Transaction, id: string): Promise<WithdrawnDecision | null> {
  const query = trx('decisions')
    .where({ id })
    .whereNull('carried_out_at')
    .whereNull('withdrawn_at')
    .update({ withdrawn_at: trx.fn.now(), idempotency_key: null })
    .returning(['workspace_id', 'request_id', 'grant_id', 'kind', 'user_id']);
  return readRows(query, withdrawnDecision).then(([withdrawn]) => withdrawn ?? null);
}

export async function wasCarriedOut(db: Db, id: string): Promise<boolean> {
  return (await db('decisions').where({ id }).whereNotNull('carried_out_at').first('id')) !== undefined;
}
