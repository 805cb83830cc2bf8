import { maxOutputBytes } from '../../contract/process-reports.ts';
import type { ProcessReport } from '../../contract/session-process.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { updateCheckProcess } from '../../store/mcp-checks/process.ts';
import type { CheckRow } from '../../store/mcp-checks/row.ts';
import { storeCheckText } from '../../store/mcp-checks/texts.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';

/**
 * Stores the state of a check's server, and seals its output. Ignores stale reports
 * and reports of other processes, such as the program that asks the server for its tools.
 */
export async function recordCheckProcess(
  db: Db,
  keys: MasterKeys,
  check: CheckRow,
  report: ProcessReport,
): Promise<void> {
  const { kind, name, sidecar_run, revision, output, faults = [], ...facts } = report;
  if (kind !== 'server' || name !== check.server_name) {
    return;
  }
  await inTransaction(db, async (trx) => {
    const taken = await updateCheckProcess(trx, check.id, {
      sidecar_run,
      revision,
      process: { ...facts, faults },
    });
    if (taken && output !== undefined) {
      const bytes = Buffer.from(output.base64, 'base64').subarray(-maxOutputBytes);
      const key = { workspaceId: check.workspace_id, checkId: check.id, kind: 'output' } as const;
      await storeCheckText(trx, keys, key, { bytes, writtenBytes: output.written_bytes });
    }
  });
}
