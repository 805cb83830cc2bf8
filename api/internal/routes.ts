/**
 * What a session's sidecar reports and requests: with the session's own token, about that session only.
 * Nothing here creates a permission.
 */

import * as z from 'zod';
import { askForPermission } from '../../commands/permission-requests/ask.ts';
import { endLiveText } from '../../commands/session-events/live-text.ts';
import { callDigestKey } from '../../contract/call-digest.ts';
import { uuid } from '../../contract/names.ts';
import { openCallReport } from '../../contract/open-calls.ts';
import {
  callReport,
  checkAnswer,
  checkRequest,
  checksAnswer,
  checksRequest,
  endReport,
  eventReport,
  permissionRequestAnswer,
  permissionRequestReport,
  permissionRequestState,
  readyAnswer,
  readyReport,
  refusedCallsReport,
} from '../../contract/sidecar.ts';
import { serviceSignals, sessionSignals } from '../../contract/workflows.ts';
import { listPendingAnnouncements } from '../../store/channel-messages/messages.ts';
import { isBoundToCall } from '../../store/grants/read.ts';
import { readPermissionRequest } from '../../store/permission-requests/requests.ts';
import { setReportedUrl } from '../../store/previews/services.ts';
import { listSessionInputs, markInputsUndelivered } from '../../store/session-inputs/inputs.ts';
import { touchActivity } from '../../store/sessions/activity.ts';
import { requestEnding, setControlUrl } from '../../store/sessions/sessions.ts';
import { readRequestSummary } from '../../store/sessions/workflow-summaries.ts';
import {
  readRecordedCalls,
  recordRefusedCalls,
  recordToolCalls,
  storeOpenCalls,
} from '../../store/tool-calls/record.ts';
import { linkOriginOf } from '../addresses.ts';
import { beginDeliveries } from '../channels/begin-deliveries.ts';
import { ApiError, notFound } from '../errors.ts';
import { followUp } from '../follow-up.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { platformToolCallRoute, platformToolsRoute } from '../platform-tools/routes.ts';
import { itsSidecar } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { tellEnding } from '../sessions/tell-ending.ts';
import { createIdleClock, recordingAtWork, restartingIdleClock } from './agent-activity.ts';
import { artifactRoute } from './artifact-route.ts';
import { checkCall, checkCalls } from './check-call.ts';
import { createMessageSecrets, type MessageSecrets, readSecretValues } from './message-secrets.ts';
import { modelRequestRoute, modelUsageReportRoute } from './model-request-routes.ts';
import { liveTextRoute, receiveEvent } from './receive-event.ts';
import { accessTokenRoute, processRoute, siblingRoute, toolListRoute } from './server-routes.ts';

const path = '/sessions/{session_id}';
const ok = z.strictObject({ ok: z.literal(true) });

export function internalRoutes(dependencies: SessionRouteDependencies): AnyRoute[] {
  const clock = createIdleClock((id) => touchActivity(dependencies.db, id));
  const asked = [readyRoute, checkRoute, checksRoute, modelRequestRoute];
  const done = [callsRoute, platformToolCallRoute, requestRoute, artifactRoute];
  const secrets = createMessageSecrets(readSecretValues(dependencies.db, dependencies.config.MASTER_KEYS));
  const written = [eventRoute(dependencies, secrets), liveTextRoute(dependencies, secrets)];
  const ofAgent = (route: AnyRoute) => recordingAtWork(dependencies.db, route);
  const activity = [
    ...asked.map((routeOf) => routeOf(dependencies)),
    ...[...done.map((routeOf) => routeOf(dependencies)), ...written].map(ofAgent),
  ];
  return [
    ...activity.map((route) => restartingIdleClock(clock, route)),
    refusedCallsRoute(dependencies),
    openCallsRoute(dependencies),
    requestStateRoute(dependencies),
    modelUsageReportRoute(dependencies),
    processRoute(dependencies),
    toolListRoute(dependencies),
    platformToolsRoute(),
    accessTokenRoute(dependencies),
    siblingRoute(dependencies),
    ofAgent(endRoute(dependencies)),
  ];
}

function readyRoute({ db, workflows }: SessionRouteDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${path}/ready`,
    summary: 'The sidecar listens; answered with the first messages for its agent, and sent the others',
    scope: 'gateway',
    access: itsSidecar,
    body: readyReport,
    response: readyAnswer,
    async handler({ workload, body }) {
      // Nothing is ever sent to the sidecar of a check.
      if (workload.kind === 'check') {
        return { inputs: [] };
      }
      if (workload.kind === 'service') {
        await setReportedUrl(db, workload.previewId, body.control_url);
        requireTaken(await workflows.signalServicePreview(workload.previewId, serviceSignals.serviceReady));
        return { inputs: [] };
      }
      const { session } = workload;
      await endLiveText(db, session);
      await setControlUrl(db, session.id, body.control_url);
      const inputs = await listSessionInputs(db, session.id, { after: 0 });
      await markInputsUndelivered(db, session.id, { after: inputs.at(-1)?.seq ?? 0 });
      // Makes the workflow deliver what this sidecar does not have.
      requireTaken(await workflows.signalSession(session.id, sessionSignals.sidecarReady));
      return { inputs };
    },
  });
}

/** Throws 503 for a signal that reached no workflow: the sidecar reports again. */
function requireTaken(isTaken: boolean): void {
  if (!isTaken) {
    throw new ApiError('unavailable', 'The session’s workflow does not run now', { retryAfterSeconds: 1 });
  }
}

function checkRoute({ db, config }: SessionRouteDependencies): AnyRoute {
  const checking = { db, callDigestKey: callDigestKey(config.SESSION_KEY_SEED) };
  return defineRoute({
    method: 'post',
    path: `${path}/tool-calls/check`,
    summary: 'May this call pass, now?',
    scope: 'sidecar',
    access: itsSidecar,
    body: checkRequest,
    response: checkAnswer,
    handler: ({ sidecar, body }) => checkCall(checking, sidecar, body),
  });
}

function checksRoute({ db, config, log }: SessionRouteDependencies): AnyRoute {
  const checking = { db, log, callDigestKey: callDigestKey(config.SESSION_KEY_SEED) };
  const checked = createRateLimiter({
    name: 'checks a minute of the sidecar of a session',
    perMinute: config.RATE_SESSION_REQUESTS_PER_MINUTE,
  });
  return defineRoute({
    method: 'post',
    path: `${path}/tool-calls/checks`,
    summary: 'May each of these calls pass, now?',
    scope: 'sidecar',
    access: itsSidecar,
    body: checksRequest,
    response: checksAnswer,
    handler({ sidecar, body: { checks } }) {
      checked.take(sidecar.sessionId, checks.length);
      return checkCalls(checking, sidecar, checks);
    },
  });
}

/** A sidecar within its own limits stays below this: a backlog arrives faster than its calls did. */
const slack = 2;

function callsRoute({ db, config }: SessionRouteDependencies): AnyRoute {
  const recorded = createRateLimiter({
    name: 'calls recorded a minute for a session',
    perMinute: slack * config.RATE_SESSION_CALLS_PER_MINUTE,
  });
  return defineRoute({
    method: 'post',
    path: `${path}/tool-calls`,
    summary: 'Calls that ended, for the audit trail',
    scope: 'internal',
    access: itsSidecar,
    body: callReport,
    response: ok,
    async handler({ session, body }) {
      recorded.take(session.id, body.calls.length);
      await requireRoomForRecords(db, session.id, config);
      await recordToolCalls(db, session, body.calls);
      return { ok: true } as const;
    },
  });
}

function refusedCallsRoute({ db, config }: SessionRouteDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${path}/tool-calls/refused`,
    summary: 'Calls that were refused beyond a limit, by tool and minute, for the audit trail',
    scope: 'internal',
    access: itsSidecar,
    body: refusedCallsReport,
    response: ok,
    async handler({ session, body }) {
      await requireRoomForRecords(db, session.id, config);
      await recordRefusedCalls(db, session, body.counts);
      return { ok: true } as const;
    },
  });
}

function openCallsRoute({ db }: SessionRouteDependencies): AnyRoute {
  const told = createRateLimiter({ name: 'reports a minute about open calls of a session', perMinute: 60 });
  return defineRoute({
    method: 'post',
    path: `${path}/tool-calls/open`,
    summary: 'The calls that wait for their server; each report replaces the one before',
    scope: 'workload',
    access: itsSidecar,
    body: openCallReport,
    response: ok,
    async handler({ workload, body }) {
      if (workload.kind === 'session') {
        told.take(workload.session.id);
        await storeOpenCalls(db, workload.session.id, body);
      }
      return { ok: true } as const;
    },
  });
}

/** Throws 413 when the session has reached its limit of records. */
async function requireRoomForRecords(
  db: SessionRouteDependencies['db'],
  sessionId: string,
  { LIMIT_SESSION_CALLS }: SessionRouteDependencies['config'],
): Promise<void> {
  const limit = slack * LIMIT_SESSION_CALLS;
  if ((await readRecordedCalls(db, sessionId)) >= limit) {
    throw new ApiError('too_large', `The limit is ${limit} records of calls for a session`);
  }
}

function eventRoute({ db, config }: SessionRouteDependencies, secrets: MessageSecrets): AnyRoute {
  const published = createRateLimiter({
    name: 'events a minute of the agent of a session',
    perMinute: config.RATE_SESSION_EVENTS_PER_MINUTE,
  });
  return defineRoute({
    method: 'post',
    path: `${path}/events`,
    summary: 'What the agent published',
    scope: 'internal',
    access: itsSidecar,
    body: eventReport,
    response: ok,
    async handler({ session, body }) {
      published.take(session.id);
      await receiveEvent(db, session, body, { limitBytes: config.LIMIT_SESSION_EVENT_BYTES, secrets });
      return { ok: true } as const;
    },
  });
}

function requestRoute({ db, config, workflows, log }: SessionRouteDependencies): AnyRoute {
  const keys = { masterKeys: config.MASTER_KEYS, callDigestKey: callDigestKey(config.SESSION_KEY_SEED) };
  const asked = createRateLimiter({
    name: 'permission requests a minute of a session',
    perMinute: slack * config.RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE,
  });
  return defineRoute({
    method: 'post',
    path: `${path}/permission-requests`,
    summary: 'The agent asks for a permission',
    scope: 'internal',
    access: itsSidecar,
    body: permissionRequestReport,
    response: permissionRequestAnswer,
    async handler({ ctx, session, body }) {
      asked.take(session.id);
      const limits = {
        openRequests: config.LIMIT_OPEN_REQUESTS,
        denialMuteSeconds: config.DENIAL_MUTE_SECONDS,
        expirySeconds: config.REQUEST_EXPIRY_SECONDS,
      };
      const answer = await askForPermission(db, keys, session.id, body, limits, {
        waitingPerChannel: config.LIMIT_WAITING_MESSAGES_PER_CHANNEL,
        linkOrigin: linkOriginOf(config, ctx),
      });
      if (answer.status === 'sent') {
        // The request is stored: a worker, or the human's decision, starts its workflow later when
        // Temporal is unavailable.
        const summary = await readRequestSummary(db, answer.request_id);
        const started = followUp(log, workflows.startPermissionRequest(answer.request_id, summary), {
          message: 'the request’s workflow starts later',
          session_id: session.id,
        });
        const announcements = await listPendingAnnouncements(db, answer.request_id);
        await Promise.all([started, beginDeliveries({ workflows, log }, announcements)]);
      }
      return answer;
    },
  });
}

function requestStateRoute({ db }: SessionRouteDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/permission-requests/{request_id}`,
    summary: 'The state of a permission request',
    scope: 'internal',
    access: itsSidecar,
    params: z.object({ request_id: uuid }),
    response: permissionRequestState,
    async handler({ session, params }) {
      const request = await readPermissionRequest(db, params.request_id);
      if (request?.session_id !== session.id) {
        throw notFound('The permission request');
      }
      const { id, status, grant_id, reason } = request;
      const isExact = await isBoundToCall(db, grant_id);
      return { request_id: id, status, grant_id, reason, ...(isExact ? { exact_call: true as const } : {}) };
    },
  });
}

function endRoute(dependencies: SessionRouteDependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'post',
    path: `${path}/end`,
    summary: 'The agent called end_session',
    scope: 'internal',
    access: itsSidecar,
    body: endReport,
    response: ok,
    async handler({ session, body }) {
      const { outcome, summary } = body;
      await requestEnding(db, session.id, {
        by: { type: 'agent', id: session.agent_id },
        status: outcome,
        reason:
          outcome === 'completed'
            ? 'The agent finished'
            : `The agent gave up: ${summary ?? 'it gave no reason'}`,
        summary,
      });
      await tellEnding(dependencies, session.id, sessionSignals.agentEnded);
      return { ok: true } as const;
    },
  });
}
