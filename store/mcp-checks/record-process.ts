import { maxOutputBytes, type ProcessReport } from '../../contract/session-process.ts';
import { type Db, inTransaction } from '../database.ts';
import type { MasterKeys } from '../secrets/envelope.ts';
import type { CheckRow } from './row.ts';
import { storeCheckText } from './texts.ts';

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
  const { kind, name, sidecar_run, revision, output, ...facts } = report;
  if (kind !== 'server' || name !== check.server_name) {
    return;
  }
  await inTransaction(db, async (trx) => {
    const taken = await trx('mcp_checks')
      .where({ id: check.id })
      .whereNull('ended_at')
      .whereRaw('(sidecar_run is distinct from ? or revision < ?)', [sidecar_run, revision])
      .update({ sidecar_run, revision, process: JSON.stringify(facts) });
    if (taken > 0 && output !== undefined) {
      const bytes = Buffer.from(output.base64, 'base64').subarray(-maxOutputBytes);
      const key = { workspaceId: check.workspace_id, checkId: check.id, kind: 'output' } as const;
      await storeCheckText(trx, keys, key, { bytes, writtenBytes: output.written_bytes });
    }
  });
}
