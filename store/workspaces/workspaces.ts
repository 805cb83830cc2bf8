/** Workspaces and their settings. */
import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import {
  type Workspace,
  type WorkspaceSettings,
  workspaceRole,
  workspaceSettings,
} from '../../contract/workspace.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';

export const workspaceRow = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  ...workspaceSettings.shape,
  created_at: timestamp,
  updated_at: timestamp,
  closed_at: timestamp.nullable(),
  closed_by: uuid.nullable(),
  reopenable_until: timestamp.nullable(),
});

export function presentWorkspace(row: z.infer<typeof workspaceRow>): Workspace {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    settings: {
      log_tool_payloads: row.log_tool_payloads,
      allow_runtime_permission_requests: row.allow_runtime_permission_requests,
      keep_refused_calls: row.keep_refused_calls,
      members_grant_persistent: row.members_grant_persistent,
      require_passkey: row.require_passkey,
      tool_call_retention_days: row.tool_call_retention_days,
    },
    created_at: row.created_at,
    updated_at: row.updated_at,
    closed_at: row.closed_at,
    closed_by: row.closed_by,
    reopenable_until: row.reopenable_until,
  };
}

const workspaceOfUser = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  role: workspaceRole,
  closed_at: timestamp.nullable(),
  reopenable_until: timestamp.nullable(),
});
type WorkspaceOfUser = z.infer<typeof workspaceOfUser>;

/** Every workspace that the user is a member of, by slug. */
export async function listWorkspacesOfUser(db: Db, userId: string): Promise<WorkspaceOfUser[]> {
  const query = db('workspaces as w')
    .join('members as m', 'm.workspace_id', 'w.id')
    .where('m.user_id', userId)
    .orderBy('w.slug')
    .select('w.id', 'w.slug', 'w.name', 'm.role', 'w.closed_at', 'w.reopenable_until');
  return readRows(query, workspaceOfUser);
}

/** The workspace's setting `log_tool_payloads`; off for a deleted one. */
export async function readLogsToolPayloads(db: Db, workspaceId: string): Promise<boolean> {
  const row = await db('workspaces').where({ id: workspaceId }).first('log_tool_payloads');
  return row?.log_tool_payloads ?? false;
}

/** The workspace's setting `keep_refused_calls`; off for a deleted one. */
export async function readKeepsRefusedCalls(db: Db, workspaceId: string): Promise<boolean> {
  const row = await db('workspaces').where({ id: workspaceId }).first('keep_refused_calls');
  return row?.keep_refused_calls ?? false;
}

/** Of the workspace's addresses; empty for a deleted one. */
export async function readWorkspaceSlug(db: Db, workspaceId: string): Promise<string> {
  const row = await db('workspaces').where({ id: workspaceId }).first('slug');
  return row?.slug ?? '';
}

/** Null when no workspace has this slug. */
export async function readWorkspaceId(db: Db, slug: string): Promise<string | null> {
  const row = await db('workspaces').where({ slug }).first('id');
  return row?.id ?? null;
}

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
