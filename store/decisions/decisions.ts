/** Decisions of humans, stored before a workflow carries them out; workflows receive the id only. */
import { z } from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';

const decision = z.object({
  id: uuid,
  workspace_id: uuid,
  request_id: uuid.nullable(),
  kind: z.enum(['approve', 'deny']),
  user_id: uuid,
  reason: z.string().nullable(),
  /** The signed approval; null for a denial. */
  approval: z.string().nullable(),
  mutes_session: z.boolean(),
});

export interface Decision {
  id: string;
  workspaceId: string;
  requestId: string | null;
  kind: 'approve' | 'deny';
  userId: string;
  reason: string | null;
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

/** False when the same person has used the idempotency key in this workspace before: nothing is stored then. */
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

/** The person's approval with this key, or null. */
export async function findApproval(
  db: Db,
  { workspaceId, userId, idempotencyKey }: { workspaceId: string; userId: string; idempotencyKey: string },
): Promise<{ decisionId: string; requestId: string | null; grantId: string; inputSha256: string } | null> {
  const found = await db('decisions')
    .where({ workspace_id: workspaceId, user_id: userId, idempotency_key: idempotencyKey })
    .first({
      decisionId: 'id',
      requestId: 'request_id',
      grantId: 'grant_id',
      inputSha256: 'input_sha256',
    });
  return found ?? null;
}

export async function readDecision(db: Db, id: string): Promise<Decision | null> {
  const row: unknown = await db('decisions').where({ id }).first();
  if (row === undefined) {
    return null;
  }
  const parsed = decision.parse(row);
  return {
    id: parsed.id,
    workspaceId: parsed.workspace_id,
    requestId: parsed.request_id,
    kind: parsed.kind,
    userId: parsed.user_id,
    reason: parsed.reason,
    approval: parsed.approval,
    mutesSession: parsed.mutes_session,
  };
}
