import { controlKey, internalToken } from '../../contract/session-keys.ts';
import { moveCheck, readCheckConfiguration, readCheckDemand } from '../../store/mcp-checks/move.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import { resolveSecrets } from '../secrets/resolve-secrets.ts';
import { renderOrRefuse } from '../sessions/validate-launch.ts';
import { startOnRuntime } from '../workloads/start-on-runtime.ts';
import { unwanted } from './watch-check.ts';

/**
 * Resolves the secrets, renders the workload of a check and starts it, as for a session. Idempotent. Throws `launch_refused` for a
 * check that is no longer wanted, and for what the runtime cannot run.
 */
export async function startCheck(
  deps: ActivityDependencies,
  { checkId }: { checkId: string },
): Promise<void> {
  const { db, runtime, masterKeys, sessionKeySeed } = deps;
  const refusal = unwanted(await readCheckDemand(db, checkId));
  const configuration = await readCheckConfiguration(db, checkId);
  if (refusal !== null || configuration === null) {
    throw launchRefused(refusal ?? 'The check has no frozen configuration');
  }
  const spec = renderOrRefuse(runtime, configuration);
  const secrets = {
    ...(await resolveSecrets({ db, masterKeys }, configuration)),
    sidecar: {
      internal_token: internalToken(sessionKeySeed, checkId),
      control_key: controlKey(sessionKeySeed, checkId),
    },
  };
  await moveCheck(db, checkId, 'starting');
  await startOnRuntime(deps, checkId, secrets, (signal) => runtime.start(spec, secrets, signal));
  await moveCheck(db, checkId, 'running');
}
