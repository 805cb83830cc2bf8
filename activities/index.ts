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
import type { InSomeWorkspace } from '../store/workspaces/workspace-of.ts';
import { checkAuthorization, openAuthorizations } from './authorizations/authorizations.ts';
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
  discoverServer,
  readRegistrationTask,
  recordRegistrationFailure,
} from './mcp-registrations/attempt.ts';
import {
  deleteRetiredClients,
  removeRegistration,
  retireRegistration,
} from './mcp-registrations/delete-clients.ts';
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
import { validateLaunch } from './sessions/validate-launch.ts';
import { withHeartbeats } from './with-heartbeats.ts';
import { deliverInputs } from './workloads/deliver-inputs.ts';
import { inspectWorkload } from './workloads/inspect-workload.ts';
import { giveUpPatch, makePatch } from './workloads/make-patch.ts';
import { recordRunning, startWorkload } from './workloads/start-workload.ts';
import { stopWorkload } from './workloads/stop-workload.ts';
import { createConnectionsForWorkspaces, type Slot } from './workspace-share.ts';

/** What an activity's workflow is about. */
interface Subject<Input> {
  kind: InSomeWorkspace;
  idOf: (input: Input) => string;
  workflowIdOf: (id: string) => string;
}

const ofSession: Subject<{ sessionId: string }> = {
  kind: 'session',
  idOf: ({ sessionId }) => sessionId,
  workflowIdOf: sessionWorkflowId,
};
const ofRequest: Subject<{ requestId: string }> = {
  kind: 'permissionRequest',
  idOf: ({ requestId }) => requestId,
  workflowIdOf: permissionRequestWorkflowId,
};
const ofCheck: Subject<{ checkId: string }> = {
  kind: 'check',
  idOf: ({ checkId }) => checkId,
  workflowIdOf: mcpCheckWorkflowId,
};
const ofRegistration: Subject<{ registrationId: string }> = {
  kind: 'registration',
  idOf: ({ registrationId }) => registrationId,
  workflowIdOf: mcpRegistrationWorkflowId,
};
const ofAuthorization: Subject<{ authorizationId: string }> = {
  kind: 'authorization',
  idOf: ({ authorizationId }) => authorizationId,
  workflowIdOf: authorizationWorkflowId,
};
const ofMessage: Subject<{ messageId: string }> = {
  kind: 'channelMessage',
  idOf: ({ messageId }) => messageId,
  workflowIdOf: channelMessageWorkflowId,
};
const ofService: Subject<{ previewId: string }> = {
  kind: 'preview',
  idOf: ({ previewId }) => previewId,
  workflowIdOf: servicePreviewWorkflowId,
};

const beating =
  <Input, Output>(activity: (dependencies: ActivityDependencies, input: Input) => Promise<Output>) =>
  (own: ActivityDependencies, input: Input) =>
    withHeartbeats(() => activity(own, input));

export function createActivities(dependencies: ActivityDependencies) {
  const forItsWorkspace = createConnectionsForWorkspaces(dependencies);
  const bind =
    <Input, Output>(
      { kind, idOf, workflowIdOf }: Subject<Input>,
      activity: (dependencies: ActivityDependencies, input: Input) => Promise<Output>,
      slot?: Slot,
    ) =>
    async (input: Input) => {
      const id = idOf(input);
      requireWorkflow(workflowIdOf(id));
      return forItsWorkspace(kind, id, () => activity(dependencies, input), slot);
    };
  /** On the queue of sessions, and tried until it works: beyond its workspace's share it is tried again. */
  const short: typeof bind = (subject, activity) => bind(subject, activity, 'short');
  /** Within a workflow's task, or on the queue of sessions where that fails. */
  const launching: typeof bind = (subject, activity) => bind(subject, activity, 'launch');
  const ofRun =
    <Output>(activity: (dependencies: ActivityDependencies, due: DueRun) => Promise<Output>) =>
    async ({ scheduleId }: { scheduleId: string }) => {
      const due = requireDueRun(scheduleId);
      return forItsWorkspace('schedule', scheduleId, () => activity(dependencies, due), 'short');
    };
  return {
    freezeConfiguration: launching(ofSession, freezeConfiguration),
    validateLaunch: launching(ofSession, validateLaunch),
    startWorkload: bind(ofSession, startWorkload),
    recordRunning: launching(ofSession, recordRunning),
    inspectWorkload: short(ofSession, inspectWorkload),
    deliverInputs: short(ofSession, deliverInputs),
    checkIdle: short(ofSession, checkIdle),
    makePatch: bind(ofSession, makePatch),
    giveUpPatch: short(ofSession, giveUpPatch),
    // Outside of the share: only its first attempt can tell what had ended before.
    stopWorkload: bind(ofSession, stopWorkload),
    listOpenRequests: short(ofSession, listOpenRequests),
    recordEnd: short(ofSession, recordEnd),
    readRequest: bind(ofRequest, readRequest),
    closeRequest: bind(ofRequest, closeRequest),
    freezeCheck: bind(ofCheck, freezeCheck),
    startCheck: bind(ofCheck, startCheck),
    watchCheck: bind(ofCheck, watchCheck),
    stopCheck: short(ofCheck, stopCheck),
    recordCheckEnd: short(ofCheck, recordCheckEnd),
    readRegistrationTask: short(ofRegistration, readRegistrationTask),
    discoverServer: bind(ofRegistration, beating(discoverServer)),
    registerClient: bind(ofRegistration, beating(registerClient)),
    recordRegistrationFailure: short(ofRegistration, recordRegistrationFailure),
    retireRegistration: short(ofRegistration, retireRegistration),
    deleteRetiredClients: bind(ofRegistration, beating(deleteRetiredClients)),
    removeRegistration: short(ofRegistration, removeRegistration),
    openAuthorizations: bind(ofSession, openAuthorizations),
    checkAuthorization: short(ofAuthorization, checkAuthorization),
    deliverMessage: bind(ofMessage, beating(deliverMessage)),
    recordDeliveryFailure: short(ofMessage, recordDeliveryFailure),
    freezeService: short(ofService, freezeService),
    startService: bind(ofService, startService),
    publishService: short(ofService, publishService),
    lookAtService: short(ofService, lookAtService),
    stopService: short(ofService, stopService),
    recordServiceEnd: short(ofService, recordServiceEnd),
    startScheduledSession: ofRun(startScheduledSession),
    lookAtScheduledSession: ofRun(lookAtScheduledSession),
    endScheduledSession: ofRun(endScheduledSession),
    /** Which workflow this is for follows from the decision itself. */
    carryOutDecision: (input: { decisionId: string; requestId?: string }) =>
      forItsWorkspace('decision', input.decisionId, () => carryOutDecision(dependencies, input)),
  };
}
export type Activities = ReturnType<typeof createActivities>;
