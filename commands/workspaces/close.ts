/** Closing a workspace, and opening it again. What ends with it is in `end-in-closed.ts`. */
import type { Workspace } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockToClose, setClosed } from '../../store/workspaces/closing.ts';

export interface Closing {
  workspaceId: string;
  userId: string;
  /** As the person typed it: what they close is what they believe to. */
  name: string;
  /** How long it can be reopened. */
  reopenableDays: number;
}

export type Closed =
  | { result: 'closed'; workspace: Workspace }
  /** It has another name. */
  | { result: 'other_name' }
  | { result: 'not_found' };

/**
 * From the commit on, nothing begins in the workspace, and no gated call passes there. One that is
 * closed already stays as it is.
 */
export function closeWorkspace(db: Db, closing: Closing): Promise<Closed> {
  const { workspaceId, userId, name, reopenableDays } = closing;
  return inTransaction(db, async (trx) => {
    const known = await lockToClose(trx, workspaceId);
    if (known === null) {
      return { result: 'not_found' };
    }
    if (known.workspace.name !== name) {
      return { result: 'other_name' };
    }
    if (known.workspace.closed_at !== null) {
      return { result: 'closed', workspace: known.workspace };
    }
    const workspace = await setClosed(trx, workspaceId, { by: userId, reopenableDays });
    await audit(trx, workspace, userId, 'workspace.closed', { reopenable_until: workspace.reopenable_until });
    return { result: 'closed', workspace };
  });
}

export type Reopened =
  | { result: 'open'; workspace: Workspace }
  /** Something in it has not been asked to end yet. */
  | { result: 'still_closing' }
  | { result: 'too_late' }
  | { result: 'not_found' };

/**
 * Gives nothing back that ended: no session, grant, sign-in or registration. One that is open stays as it is.
 */
export function reopenWorkspace(
  db: Db,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<Reopened> {
  return inTransaction(db, async (trx) => {
    const known = await lockToClose(trx, workspaceId);
    if (known === null) {
      return { result: 'not_found' };
    }
    if (known.workspace.closed_at === null) {
      return { result: 'open', workspace: known.workspace };
    }
    if (!known.mayReopen) {
      return { result: 'too_late' };
    }
    if (!known.hasEnded) {
      return { result: 'still_closing' };
    }
    const workspace = await setClosed(trx, workspaceId, null);
    await audit(trx, workspace, userId, 'workspace.reopened', { closed_at: known.workspace.closed_at });
    return { result: 'open', workspace };
  });
}

function audit(
  trx: Transaction,
  { id: workspaceId, slug }: Workspace,
  userId: string,
  event: 'workspace.closed' | 'workspace.reopened',
  data: Record<string, unknown>,
): Promise<boolean> {
  const actor = { type: 'user', id: userId } as const;
  const resource = { type: 'workspace', id: workspaceId, name: slug };
  return appendAuditEvent(trx, { workspaceId, event, actor, resource, data });
}
