/**
 * Activities that do what a test says, with the real ones' types: the workflows under
 * test run on the real server.
 */
import { ApplicationFailure, heartbeat, sleep } from '@temporalio/activity';
import type { AuthorizationState, WaitingFor } from '../../activities/authorizations/authorizations.ts';
import type { Activities } from '../../activities/index.ts';
import type { CheckExit } from '../../activities/mcp-checks/watch-check.ts';
import type { WorkloadExit } from '../../activities/workloads/workload-exit.ts';
import type { ObservedCheckEnd, RequestOutcome, SessionEnding } from '../../contract/workflows.ts';
import { messageActivities, type ScriptedMessage } from './scripted-messages.ts';
import { registrationActivities, type ScriptedRegistration } from './scripted-registrations.ts';
import { runActivities, type ScriptedRun } from './scripted-runs.ts';
import { type ScriptedService, serviceActivities } from './scripted-services.ts';

/** One session's script and what was called for it, in order. */
export class ScriptedSession {
  readonly calls: string[] = [];
  limits = { startMs: 20_000, totalMs: 600_000, idleMs: 600_000 };
  status: Awaited<ReturnType<Activities['freezeConfiguration']>>['status'] = 'pending';
  /** Thrown by the named activity. */
  failures = new Map<keyof Activities, () => Error>();
  /** Signals the workflow, as the worker does when a workload changes. */
  onChange: () => Promise<unknown> = async () => undefined;
  /** What the next look finds beside the exit. */
  lasting: string[] = [];
  lookAgainInMs: number | null = null;
  /** What each look was given. */
  readonly looks: Readonly<Record<string, number>>[] = [];
  /** The ending requested in the session's row. */
  requestedEnding: SessionEnding | null = null;
  openRequestIds: string[] = [];
  /** It has servers that its operator signs in to. */
  needsSignIn = false;
  /** Sign-ins that the launch waits for. */
  waitingFor: WaitingFor[] = [];
  remainingIdleMs = 600_000;
  /** How long the start takes. */
  startTakesMs = 0;
  /** How long each attempt to freeze takes. */
  freezesTakeMs: number[] = [];
  recorded: SessionEnding[] = [];
  /** Of a check. */
  checkExit: CheckExit | null = null;
  recordedChecks: ObservedCheckEnd[] = [];

  private ending: WorkloadExit | null = null;
  get exit(): WorkloadExit | null {
    return this.ending;
  }
  set exit(exit: WorkloadExit | null) {
    this.ending = exit;
    void this.onChange();
  }

  count(name: keyof Activities): number {
    return this.calls.filter((call) => call === name).length;
  }
}

/**
 * Failures of the named activities' first attempts, as something that is unavailable
 * for a moment causes them.
 */
export function failOnce(...names: (keyof Activities)[]): Map<keyof Activities, () => Error> {
  const failures = new Map<keyof Activities, () => Error>();
  for (const name of names) {
    failures.set(name, () => {
      failures.delete(name);
      return ApplicationFailure.retryable('the registry is unreachable', 'launch_refused');
    });
  }
  return failures;
}

/** One permission request's script. */
export class ScriptedRequest {
  sessionId = '';
  remainingMs = 600_000;
  /** As the database has it. */
  outcome: RequestOutcome | null = null;
  readonly calls: string[] = [];
  /** By decision: the effect of carrying it out. */
  decisions = new Map<string, () => Promise<RequestOutcome>>();
}

/** One sign-in's script; `state` is what its row says now. */
export class ScriptedAuthorization {
  readonly calls: string[] = [];
  state: AuthorizationState | null = {
    status: 'pending',
    server: 'tickets',
    remainingMs: 600_000,
    workspaceId: 'workspace-1',
    sessionId: 'session-1',
    searchAttributesKnown: true,
  };

  become(status: AuthorizationState['status']): void {
    this.state = this.state && { ...this.state, status };
  }
}

export class ScriptedPlatform {
  readonly sessions = new Map<string, ScriptedSession>();
  readonly requests = new Map<string, ScriptedRequest>();
  readonly registrations = new Map<string, ScriptedRegistration>();
  readonly authorizations = new Map<string, ScriptedAuthorization>();
  readonly messages = new Map<string, ScriptedMessage>();
  readonly services = new Map<string, ScriptedService>();
  readonly runs = new Map<string, ScriptedRun>();

  readonly activities: Activities = {
    freezeConfiguration: async ({ sessionId }) => {
      const { limits, status, freezesTakeMs } = this.begin('freezeConfiguration', { sessionId });
      await new Promise((resolve) => setTimeout(resolve, freezesTakeMs.shift() ?? 0));
      return {
        workspaceId: 'workspace-1',
        status,
        limits,
        subject: 'demo/writer',
        searchAttributesKnown: true,
      };
    },
    validateLaunch: async (input) => {
      const { needsSignIn, waitingFor } = this.begin('validateLaunch', input);
      return { needsSignIn: needsSignIn || waitingFor.length > 0 };
    },
    openAuthorizations: async (input) => ({ waitingFor: this.begin('openAuthorizations', input).waitingFor }),
    checkAuthorization: async ({ authorizationId }) => {
      const authorization = this.authorizations.get(authorizationId);
      authorization?.calls.push('check');
      return authorization?.state ?? null;
    },
    startWorkload: async (input) => {
      const session = this.begin('startWorkload', input);
      await new Promise((resolve) => setTimeout(resolve, session.startTakesMs));
      session.calls.push('started');
    },
    recordRunning: async (input) => {
      this.begin('recordRunning', input);
    },
    inspectWorkload: async (input) => {
      const { exit, lasting, lookAgainInMs, looks } = this.begin('inspectWorkload', input);
      looks.push(input.lastingMs);
      return { exit, lasting, lookAgainInMs };
    },
    deliverInputs: async (input) => {
      this.begin('deliverInputs', input);
    },
    giveUpPatch: async (input) => {
      this.begin('giveUpPatch', input);
    },
    makePatch: async (input) => {
      this.begin('makePatch', input);
    },
    checkIdle: async (input) => ({ remainingMs: this.begin('checkIdle', input).remainingIdleMs }),
    stopWorkload: async (input) => {
      this.begin('stopWorkload', input);
    },
    listOpenRequests: async (input) => ({ requestIds: this.begin('listOpenRequests', input).openRequestIds }),
    recordEnd: async (input) => {
      const session = this.begin('recordEnd', input);
      const ending = session.requestedEnding ?? input.observed;
      session.recorded.push(ending);
      return ending;
    },
    readRequest: async ({ requestId }) => {
      const { sessionId, remainingMs } = this.request(requestId);
      const expiresAt = new Date(Date.now() + remainingMs).toISOString();
      return {
        sessionId,
        workspaceId: 'workspace-1',
        expiresAt,
        remainingMs,
        subject: 'demo/writer',
        searchAttributesKnown: true,
      };
    },
    closeRequest: async ({ requestId, status }) => {
      const request = this.request(requestId);
      request.calls.push(`close as ${status}`);
      request.outcome ??= { status, grantId: null };
      return request.outcome;
    },
    freezeCheck: async ({ checkId }) => {
      const { limits, status } = this.begin('freezeCheck', { sessionId: checkId });
      const isNew = status === 'pending';
      return {
        workspaceId: 'workspace-1',
        isNew,
        limitMs: limits.totalMs,
        subject: 'demo/writer',
        searchAttributesKnown: true,
      };
    },
    startCheck: async ({ checkId }) => {
      const session = this.begin('startCheck', { sessionId: checkId });
      await new Promise((resolve) => setTimeout(resolve, session.startTakesMs));
      session.calls.push('started');
    },
    watchCheck: (input) => this.watchCheck(input.checkId),
    stopCheck: async ({ checkId }) => {
      this.begin('stopCheck', { sessionId: checkId });
    },
    recordCheckEnd: async ({ checkId, observed }) => {
      this.begin('recordCheckEnd', { sessionId: checkId }).recordedChecks.push(observed);
      return observed.kind === 'ended'
        ? { status: 'completed', reason: null }
        : { status: observed.kind, reason: observed.reason };
    },
    ...registrationActivities(this.registrations),
    ...messageActivities(this.messages),
    ...serviceActivities(this.services),
    ...runActivities(this.runs),
    carryOutDecision: async ({ decisionId, requestId }) => {
      for (const request of this.requests.values()) {
        const decision = request.decisions.get(decisionId);
        if (decision !== undefined) {
          request.calls.push(`carry out ${decisionId}`);
          const outcome = await decision();
          const owner = { workspaceId: 'workspace-1', subject: 'demo/writer', searchAttributesKnown: true };
          return requestId === undefined ? { ...outcome, owner } : outcome;
        }
      }
      throw ApplicationFailure.nonRetryable('There is no such decision', 'approval_invalid');
    },
  };

  private async watchCheck(checkId: string): Promise<CheckExit> {
    const check = this.begin('watchCheck', { sessionId: checkId });
    while (check.checkExit === null) {
      heartbeat();
      await sleep(50);
    }
    return check.checkExit;
  }

  private begin(name: keyof Activities, input: { sessionId: string }) {
    const session = this.sessions.get(input.sessionId);
    if (session === undefined) {
      throw ApplicationFailure.nonRetryable(`no script for session ${input.sessionId}`);
    }
    session.calls.push(name);
    const failure = session.failures.get(name);
    if (failure !== undefined) {
      throw failure();
    }
    return session;
  }

  private request(requestId: string): ScriptedRequest {
    const request = this.requests.get(requestId);
    if (request === undefined) {
      throw ApplicationFailure.nonRetryable(`no script for request ${requestId}`);
    }
    return request;
  }
}
