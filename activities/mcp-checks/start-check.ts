import { moveCheck, readCheckConfiguration, readCheckDemand } from '../../store/mcp-checks/checks.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import { renderOrRefuse } from '../sessions/validate-launch.ts';
import { launch } from '../workloads/start-workload.ts';
import { unwanted } from './watch-check.ts';

/**
 * Starts the workload of a check of a catalog entry, by the same launch as a session's
 * (docs/decisions/0029-checks-are-no-sessions.md). Idempotent. Throws `launch_refused` for a check that is no
 * longer wanted, and for what the runtime cannot run.
 */
export async function startCheck(
  dependencies: ActivityDependencies,
  { checkId }: { checkId: string },
): Promise<void> {
  const { db, runtime } = dependencies;
  const refusal = unwanted(await readCheckDemand(db, checkId));
  const configuration = await readCheckConfiguration(db, checkId);
  if (refusal !== null || configuration === null) {
    throw launchRefused(refusal ?? 'The check has no frozen configuration');
  }
  const spec = renderOrRefuse(runtime, configuration);
  await launch(dependencies, { configuration, spec, recordStart: () => moveCheck(db, checkId, 'starting') });
  await moveCheck(db, checkId, 'running');
}
