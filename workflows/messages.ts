/** The signals, updates and queries of `contract/workflows.ts` as the workflows handle them. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  authorizationWorkflowContract as authorization,
  mcpCheckWorkflowContract as check,
  type DecideInput,
  type RequestOutcome,
  mcpRegistrationWorkflowContract as registration,
  permissionRequestWorkflowContract as request,
  type SessionProgress,
  scheduledRunWorkflowContract as scheduledRun,
  servicePreviewWorkflowContract as service,
  sessionWorkflowContract as session,
} from '../contract/workflows.ts';

export const sidecarReady = defineSignal(session.signals.sidecarReady);
export const inputAvailable = defineSignal(session.signals.inputAvailable);
export const patchRequested = defineSignal(session.signals.patchRequested);
export const agentEnded = defineSignal(session.signals.agentEnded);
export const workloadChanged = defineSignal(session.signals.workloadChanged);
export const terminate = defineSignal(session.signals.terminate);
export const sessionProgress = defineQuery<SessionProgress>(session.queries.progress);

export const decide = defineUpdate<RequestOutcome, [DecideInput]>(request.updates.decide);
export const sessionEnded = defineSignal(request.signals.sessionEnded);
export const requestProgress = defineQuery<{ status: string }>(request.queries.progress);

export const cancelCheck = defineSignal(check.signals.cancelCheck);
export const registrationRevised = defineSignal(registration.signals.registrationRevised);
export const authorizationSettled = defineSignal(authorization.signals.authorizationSettled);

export const serviceReady = defineSignal(service.signals.serviceReady);
export const serviceChanged = defineSignal(service.signals.serviceChanged);

export const scheduledSessionEnded = defineSignal(scheduledRun.signals.scheduledSessionEnded);
