import type { Db } from '../database.ts';

/**
 * Returns those of the scopes that need an admin's grant, in the catalog or in any running session (the view
 * `admin_only_scopes`). The check of a call (`check-and-consume.ts`) reads the same view for its own session.
 */
export async function scopesThatNeedAdmin(
  db: Db,
  workspaceId: string,
  scopes: readonly string[],
): Promise<Set<string>> {
  if (scopes.length === 0) {
    return new Set();
  }
  const found = await db('admin_only_scopes')
    .where({ workspace_id: workspaceId })
    .whereRaw('scope = any(?)', [[...new Set(scopes)]])
    .distinct('scope');
  return new Set(found.map(({ scope }) => scope));
}

/** Whether the details name such a scope; false for details without a scope. */
export async function needsAdmin(
  db: Db,
  workspaceId: string,
  { scope }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  return typeof scope === 'string' && (await scopesThatNeedAdmin(db, workspaceId, [scope])).size > 0;
}
