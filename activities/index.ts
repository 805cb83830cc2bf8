/** Every activity, bound to its dependencies. Workflows import only its type. */
import {
  authorizationWorkflowId,
  channelMessageWorkflowId,
  type DueRun,
  mcpCheckWorkflowId,
  mcpRegistrationWorkflowId,
  permissionRequestWorkflowId,
  servicePreviewWorkflowId,
  sessionWorkflowId,
} from '../contract/workflows.ts';
import { checkAuthorization } from './authorizations/check-authorization.ts';
import { openAuthorizations } from './authorizations/open-authorizations.ts';
import { deliverMessage, recordDeliveryFailure } from './channel-messages/deliver.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { carryOutDecision } from './grants/carry-out-decision.ts';
import { closeRequest, readRequest } from './grants/close-request.ts';
import { freezeCheck } from './mcp-checks/freeze-check.ts';
import { recordCheckEnd } from './mcp-checks/record-check-end.ts';
import { startCheck } from './mcp-checks/start-check.ts';
import { stopCheck } from './mcp-checks/stop-check.ts';
import { watchCheck } from './mcp-checks/watch-check.ts';
import {
  deleteRetiredClients,
  removeRegistration,
  retireRegistration,
} from './mcp-registrations/delete-clients.ts';
import { discoverServer } from './mcp-registrations/discover-server.ts';
import { readRegistrationTask } from './mcp-registrations/read-task.ts';
import { recordRegistrationFailure } from './mcp-registrations/record-failure.ts';
import { registerClient } from './mcp-registrations/register-client.ts';
import { requireDueRun, requireWorkflow } from './own-workflow.ts';
import { endScheduledSession, lookAtScheduledSession, startScheduledSession } from './schedules/run.ts';
import { freezeService } from './service-previews/freeze-service.ts';
import { lookAtService } from './service-previews/look-at-service.ts';
import { publishService } from './service-previews/publish-service.ts';
import { recordServiceEnd } from './service-previews/record-service-end.ts';
import { startService } from './service-previews/start-service.ts';
import { stopService } from './service-previews/stop-service.ts';
import { checkIdle } from './sessions/check-idle.ts';
import { freezeConfiguration } from './sessions/freeze-configuration.ts';
import { listOpenRequests, recordEnd } from './sessions/record-end.ts';
import { recordRunning } from './sessions/record-running.ts';
import { validateLaunch } from './sessions/validate-launch.ts';
import { withHeartbeats } from './with-heartbeats.ts';
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
  const beating =
    <Input, Output>(activity: (dependencies: ActivityDependencies, input: Input) => Promise<Output>) =>
    (own: ActivityDependencies, input: Input) =>
      withHeartbeats(() => activity(own, input));
  const ofSession = ({ sessionId }: { sessionId: string }) => sessionWorkflowId(sessionId);
  const ofRequest = ({ requestId }: { requestId: string }) => permissionRequestWorkflowId(requestId);
  const ofCheck = ({ checkId }: { checkId: string }) => mcpCheckWorkflowId(checkId);
  const ofRegistration = ({ registrationId }: { registrationId: string }) =>
    mcpRegistrationWorkflowId(registrationId);
  const ofAuthorization = ({ authorizationId }: { authorizationId: string }) =>
    authorizationWorkflowId(authorizationId);
  const ofMessage = ({ messageId }: { messageId: string }) => channelMessageWorkflowId(messageId);
  const ofRun =
    <Output>(activity: (dependencies: ActivityDependencies, due: DueRun) => Promise<Output>) =>
    async ({ scheduleId }: { scheduleId: string }) =>
      activity(dependencies, requireDueRun(scheduleId));
  const ofService = ({ previewId }: { previewId: string }) => servicePreviewWorkflowId(previewId);
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
    readRegistrationTask: bind(ofRegistration, readRegistrationTask),
    discoverServer: bind(ofRegistration, beating(discoverServer)),
    registerClient: bind(ofRegistration, beating(registerClient)),
    recordRegistrationFailure: bind(ofRegistration, recordRegistrationFailure),
    retireRegistration: bind(ofRegistration, retireRegistration),
    deleteRetiredClients: bind(ofRegistration, beating(deleteRetiredClients)),
    removeRegistration: bind(ofRegistration, removeRegistration),
    openAuthorizations: bind(ofSession, openAuthorizations),
    checkAuthorization: bind(ofAuthorization, checkAuthorization),
    deliverMessage: bind(ofMessage, beating(deliverMessage)),
    recordDeliveryFailure: bind(ofMessage, recordDeliveryFailure),
    freezeService: bind(ofService, freezeService),
    startService: bind(ofService, startService),
    publishService: bind(ofService, publishService),
    lookAtService: bind(ofService, lookAtService),
    stopService: bind(ofService, stopService),
    recordServiceEnd: bind(ofService, recordServiceEnd),
    startScheduledSession: ofRun(startScheduledSession),
    lookAtScheduledSession: ofRun(lookAtScheduledSession),
    endScheduledSession: ofRun(endScheduledSession),
    /** Which workflow this is for follows from the decision itself. */
    carryOutDecision: (input: { decisionId: string; requestId?: string }) =>
      carryOutDecision(dependencies, input),
  };
}
export type Activities = ReturnType<typeof createActivities>;
