import type { Transaction } from '../database.ts';
import { readCheck } from './read.ts';
import type { CheckRow } from './row.ts';

export interface NewCheck {
  workspaceId: string;
  env: Record<string, string>;
  startedBy: string;
  idempotencyKey: string | null;
}

/** Stores a check of this version of the entry, and returns it. */
export async function insertCheck(
  trx: Transaction,
  { workspaceId, env, startedBy, idempotencyKey }: NewCheck,
  { serverId, version }: { serverId: string; version: number },
): Promise<CheckRow> {
  const [inserted] = await trx('mcp_checks')
    .insert({
      workspace_id: workspaceId,
      mcp_server_id: serverId,
      entry_version: version,
      env: JSON.stringify(env),
      started_by: startedBy,
      idempotency_key: idempotencyKey,
    })
    .returning('id');
  const stored = inserted === undefined ? null : await readCheck(trx, inserted.id);
  if (stored === null) {
    throw new Error('the check was not stored');
  }
  return stored;
}
