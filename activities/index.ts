/** Every activity, bound to what it needs. Workflows import the type of this and nothing else of it. */

import type { ActivityDependencies } from './dependencies.ts';
import { carryOutDecision } from './grants/carry-out-decision.ts';
import { closeRequest, readRequest } from './grants/close-request.ts';
import { checkIdle } from './sessions/check-idle.ts';
import { freezeConfiguration } from './sessions/freeze-configuration.ts';
import { listOpenRequests, recordEnd } from './sessions/record-end.ts';
import { recordRunning } from './sessions/record-running.ts';
import { validateLaunch } from './sessions/validate-launch.ts';
import { deliverInputs } from './workloads/deliver-inputs.ts';
import { startWorkload } from './workloads/start-workload.ts';
import { stopWorkload } from './workloads/stop-workload.ts';
import { watchWorkload } from './workloads/watch-workload.ts';

export function createActivities(deps: ActivityDependencies) {
  const bind =
    <Input, Output>(activity: (deps: ActivityDependencies, input: Input) => Promise<Output>) =>
    (input: Input) =>
      activity(deps, input);
  return {
    freezeConfiguration: bind(freezeConfiguration),
    validateLaunch: bind(validateLaunch),
    startWorkload: bind(startWorkload),
    recordRunning: bind(recordRunning),
    watchWorkload: bind(watchWorkload),
    deliverInputs: bind(deliverInputs),
    checkIdle: bind(checkIdle),
    stopWorkload: bind(stopWorkload),
    listOpenRequests: bind(listOpenRequests),
    recordEnd: bind(recordEnd),
    readRequest: bind(readRequest),
    closeRequest: bind(closeRequest),
    carryOutDecision: bind(carryOutDecision),
  };
}
export type Activities = ReturnType<typeof createActivities>;
