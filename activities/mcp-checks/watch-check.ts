/** Watches the workload of a check until it ends or is no longer wanted. */
import { heartbeat, sleep } from '@temporalio/activity';
import { type CheckDemand, readCheckDemand } from '../../store/mcp-checks/checks.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { exitOf } from '../workloads/workload-exit.ts';

const pollIntervalMs = 250;
const demandIntervalMs = 1000;

/** How the workload ended, as far as it matters: the result is on the check's row. Reads only. */
export type CheckExit = { kind: 'ended' } | { kind: 'lost' } | { kind: 'unwanted'; reason: string };

export async function watchCheck(
  { db, runtime }: ActivityDependencies,
  { checkId }: { checkId: string },
): Promise<CheckExit> {
  let askedAtMs = 0;
  while (true) {
    heartbeat();
    if (Date.now() - askedAtMs > demandIntervalMs) {
      askedAtMs = Date.now();
      const reason = unwanted(await readCheckDemand(db, checkId));
      if (reason !== null) {
        return { kind: 'unwanted', reason };
      }
    }
    const exit = exitOf(await runtime.inspect(checkId), 0);
    if (exit !== null) {
      return { kind: exit.kind === 'agent_exited' ? 'ended' : 'lost' };
    }
    await sleep(pollIntervalMs);
  }
}

/** Why a check must end, as a sentence; null while it may. */
export function unwanted(demand: CheckDemand | null): string | null {
  if (demand === null) {
    return 'The check was removed';
  }
  if (demand.cancelRequested) {
    return 'An admin cancelled the check';
  }
  return demand.startedByAdmin
    ? null
    : 'The person who started the check is no longer an admin of the workspace';
}
