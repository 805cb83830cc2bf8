import type { Transaction } from '../database.ts';
import type { CheckRow } from './row.ts';

/** A report of a check's server: `revision` orders the reports of one run of the sidecar. */
export interface CheckProcessReport {
  sidecar_run: string;
  revision: number;
  process: NonNullable<CheckRow['process']>;
}

/** Stores the state of a check's server. False for a stale report, and for a check that has ended. */
export async function updateCheckProcess(
  trx: Transaction,
  checkId: string,
  { sidecar_run, revision, process }: CheckProcessReport,
): Promise<boolean> {
  const updated = await trx('mcp_checks')
    .where({ id: checkId })
    .whereNull('ended_at')
    .whereRaw('(sidecar_run is distinct from ? or revision < ?)', [sidecar_run, revision])
    .update({ sidecar_run, revision, process: JSON.stringify(process) });
  return updated > 0;
}
