/** What humans decided, before a workflow carries it out; workflows are given the id only (design 2, 7). */
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

export async function insertDecision(
  db: Db,
  input: Omit<Decision, 'mutesSession'> & { mutesSession?: boolean },
): Promise<void> {
  await db('decisions').insert({
    id: input.id,
    workspace_id: input.workspaceId,
    request_id: input.requestId,
    kind: input.kind,
    user_id: input.userId,
    reason: input.reason,
    approval: input.approval,
    mutes_session: input.mutesSession ?? false,
  });
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
