import type { Workspace, WorkspaceSettings } from '../../contract/workspace.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow } from '../read-rows.ts';
import { presentWorkspace } from './row.ts';

/** Null when the slug is taken. */
export async function insertWorkspace(
  trx: Transaction,
  input: { slug: string; name: string },
): Promise<Workspace | null> {
  const [row] = await trx('workspaces').insert(input).onConflict('slug').ignore().returning('*');
  return row === undefined ? null : presentWorkspace(row);
}

/** The workspace, locked until the transaction ends. Throws when it does not exist. */
export async function lockWorkspace(trx: Transaction, id: string): Promise<Workspace> {
  const row = await trx('workspaces').where({ id }).forUpdate().first();
  if (row === undefined) {
    throw new Error('the workspace does not exist');
  }
  return presentWorkspace(row);
}

/** Returns the workspace as it is then. */
export async function updateWorkspaceRow(
  trx: Transaction,
  id: string,
  fields: Partial<WorkspaceSettings & { name: string }>,
): Promise<Workspace> {
  const rows = await trx('workspaces')
    .where({ id })
    .update({ ...fields, updated_at: trx.fn.now() })
    .returning('*');
  return presentWorkspace(onlyRow(rows));
}

/** Keeps the hash of the bytes of a whole export of the audit trail; a later one takes its place. */
export async function recordExport(db: Db, id: string, sha256: string): Promise<void> {
  await db('workspaces').where({ id }).update({ last_exported_at: db.fn.now(), last_export_sha256: sha256 });
}
