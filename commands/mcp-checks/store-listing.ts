import { type Db, inTransaction } from '../../store/database.ts';
import { lockUnfinishedCheck } from '../../store/mcp-checks/move.ts';
import type { CheckRow } from '../../store/mcp-checks/row.ts';
import { storeCheckText } from '../../store/mcp-checks/texts.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';

/** Seals and stores what the server of a check listed, until the check ends. False when the check has ended. */
export function storeListing(db: Db, keys: MasterKeys, check: CheckRow, bytes: Buffer): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await lockUnfinishedCheck(trx, check.id))) {
      return false;
    }
    const key = { workspaceId: check.workspace_id, checkId: check.id, kind: 'raw_listing' } as const;
    await storeCheckText(trx, keys, key, { bytes, writtenBytes: bytes.length });
    return true;
  });
}
