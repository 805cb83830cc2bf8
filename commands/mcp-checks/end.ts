import type { ToolListing } from '../../contract/mcp-check.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { type CheckEnding, lockUnfinishedCheck, updateCheckEnding } from '../../store/mcp-checks/move.ts';
import type { CheckRow } from '../../store/mcp-checks/row.ts';
import { eraseCheckText, storeCheckText } from '../../store/mcp-checks/texts.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';

/**
 * Ends a check: erases what its server listed, and stores what may be shown of it, if anything. Does nothing to a check
 * that has ended.
 */
export async function endCheck(
  db: Db,
  keys: MasterKeys,
  check: CheckRow,
  { shown, ending }: { shown: ToolListing | null; ending: CheckEnding },
): Promise<void> {
  const key = { workspaceId: check.workspace_id, checkId: check.id };
  await inTransaction(db, async (trx) => {
    if (!(await lockUnfinishedCheck(trx, check.id))) {
      return;
    }
    await eraseCheckText(trx, { ...key, kind: 'raw_listing' });
    if (shown !== null) {
      const bytes = Buffer.from(JSON.stringify(shown));
      await storeCheckText(trx, keys, { ...key, kind: 'listing' }, { bytes, writtenBytes: bytes.length });
    }
    await updateCheckEnding(trx, check.id, ending);
  });
}
