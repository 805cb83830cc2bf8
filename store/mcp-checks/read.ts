import type { Db } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { type CheckRow, checkRow, selectChecks } from './row.ts';

/** The check, or null; throws a ZodError for a row that does not fit the contract. */
export function readCheck(db: Db, id: string): Promise<CheckRow | null> {
  return readRow(selectChecks(db).where('c.id', id).first(), checkRow);
}

/** The check that the user started with this key, or null. */
export async function findCheck(
  db: Db,
  key: { workspaceId: string; startedBy: string; idempotencyKey: string | null },
): Promise<CheckRow | null> {
  if (key.idempotencyKey === null) {
    return null;
  }
  const query = selectChecks(db)
    .where({
      'c.workspace_id': key.workspaceId,
      'c.started_by': key.startedBy,
      'c.idempotency_key': key.idempotencyKey,
    })
    .first();
  return readRow(query, checkRow);
}

/** Each needs a workflow to end it, which reads a cancellation from its row. */
export async function listUnfinishedChecks(db: Db): Promise<{ id: string }[]> {
  const rows = await db('mcp_checks').whereNull('ended_at').orderBy('created_at').select('id');
  return rows;
}
