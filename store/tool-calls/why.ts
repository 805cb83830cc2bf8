/** What leads from a call to the decision of a person that let it pass. */
import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import type { ToolCall } from '../../contract/tool-call.ts';
import type { Db } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { namedOrNull } from '../sessions/context.ts';
import { presentToolCall, toolCallRow } from './list.ts';

/** Null for a call that the session did not make. */
export async function readToolCall(
  db: Db,
  { sessionId, callId }: { sessionId: string; callId: string },
): Promise<ToolCall | null> {
  const query = db('audit_events')
    .where({ id: callId, session_id: sessionId, event: 'session.mcp.tool_called' })
    .first(Object.keys(toolCallRow.shape));
  const found = await readRow(query, toolCallRow);
  return found === null ? null : presentToolCall(found);
}

const approvalRow = z.object({
  id: uuid,
  approval: z.string(),
  created_at: timestamp,
  carried_out_at: timestamp.nullable(),
  user_id: uuid.nullable(),
  user_name: z.string().nullable(),
});

/** The decision that a grant was written for; null where there is none, or it was withdrawn. */
export async function readApproval(
  db: Db,
  { workspaceId, grantId }: { workspaceId: string; grantId: string },
) {
  const query = db('decisions as d')
    .leftJoin('users as u', 'u.id', 'd.user_id')
    .where({ 'd.workspace_id': workspaceId, 'd.grant_id': grantId, 'd.kind': 'approve' })
    .whereNull('d.withdrawn_at')
    .whereNotNull('d.approval')
    .first({
      id: 'd.id',
      approval: 'd.approval',
      created_at: 'd.created_at',
      carried_out_at: 'd.carried_out_at',
      user_id: 'u.id',
      user_name: 'u.name',
    });
  const found = await readRow(query, approvalRow);
  if (found === null) {
    return null;
  }
  const { user_id: userId, user_name: userName, ...decision } = found;
  return { ...decision, by: namedOrNull(userId, userName) };
}
