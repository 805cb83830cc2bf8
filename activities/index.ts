/** Every activity, bound to its dependencies. Workflows import only its type. */
import { mcpCheckWorkflowId, permissionRequestWorkflowId, sessionWorkflowId } from '../contract/workflows.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { carryOutDecision } from './grants/carry-out-decision.ts';
import { closeRequest, readRequest } from './grants/close-request.ts';
import { freezeCheck } from './mcp-checks/freeze-check.ts';
import { recordCheckEnd } from './mcp-checks/record-check-end.ts';
import { startCheck } from './mcp-checks/start-check.ts';
import { stopCheck } from './mcp-checks/stop-check.ts';
import { watchCheck } from './mcp-checks/watch-check.ts';
import { requireWorkflow } from './own-workflow.ts';
import { checkIdle } from './sessions/check-idle.ts';
import { freezeConfiguration } from './sessions/freeze-configuration.ts';
import { listOpenRequests, recordEnd } from './sessions/record-end.ts';
import { recordRunning } from './sessions/record-running.ts';
import { validateLaunch } from './sessions/validate-launch.ts';
import { deliverInputs } from './workloads/deliver-inputs.ts';
import { inspectWorkload } from './workloads/inspect-workload.ts';
import { startWorkload } from './workloads/start-workload.ts';
import { stopWorkload } from './workloads/stop-workload.ts';
import { watchWorkload } from './workloads/watch-workload.ts';

export function createActivities(dependencies: ActivityDependencies) {
  const bind =
    <Input, Output>(
      workflowIdOf: (input: Input) => string,
      activity: (dependencies: ActivityDependencies, input: Input) => Promise<Output>,
    ) =>
    async (input: Input) => {
      requireWorkflow(workflowIdOf(input));
      return activity(dependencies, input);
    };
  const ofSession = ({ sessionId }: { sessionId: string }) => sessionWorkflowId(sessionId);
  const ofRequest = ({ requestId }: { requestId: string }) => permissionRequestWorkflowId(requestId);
  const ofCheck = ({ checkId }: { checkId: string }) => mcpCheckWorkflowId(checkId);
  return {
    freezeConfiguration: bind(ofSession, freezeConfiguration),
    validateLaunch: bind(ofSession, validateLaunch),
    startWorkload: bind(ofSession, startWorkload),
    recordRunning: bind(ofSession, recordRunning),
    inspectWorkload: bind(ofSession, inspectWorkload),
    watchWorkload: bind(ofSession, watchWorkload),
    deliverInputs: bind(ofSession, deliverInputs),
    checkIdle: bind(ofSession, checkIdle),
    stopWorkload: bind(ofSession, stopWorkload),
    listOpenRequests: bind(ofSession, listOpenRequests),
    recordEnd: bind(ofSession, recordEnd),
    readRequest: bind(ofRequest, readRequest),
    closeRequest: bind(ofRequest, closeRequest),
    freezeCheck: bind(ofCheck, freezeCheck),
    startCheck: bind(ofCheck, startCheck),
    watchCheck: bind(ofCheck, watchCheck),
    stopCheck: bind(ofCheck, stopCheck),
    recordCheckEnd: bind(ofCheck, recordCheckEnd),
    /** Which workflow this is for follows from the decision itself. */
    carryOutDecision: (input: { decisionId: string; requestId?: string }) =>
      carryOutDecision(dependencies, input),
  };
}
export type Activities = ReturnType<typeof createActivities>;
