/**
 * Every activity as a workflow calls it: its time limits, its retries and the line that operators read in the
 * Temporal UI. Business refusals are non-retryable failures; everything else is a
 * technical fault and retried.
 */
import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { mostDeliveryAttempts, taskQueues } from '../contract/workflows.ts';
import { atOnce } from './at-once.ts';

/** Limits attempts, not time: a temporarily unavailable worker does not fail a launch. */
const someAttempts = {
  initialInterval: '500 milliseconds',
  maximumInterval: '10 seconds',
  maximumAttempts: 8,
};
const untilItWorks = { initialInterval: '500 milliseconds', maximumInterval: '5 seconds' };
const leaveRunning = { cancellationType: ActivityCancellationType.TRY_CANCEL };

/** Of the steps that a launch takes within its task, or by the server where that fails. */
const summaries = {
  freezeConfiguration: 'Freeze the configuration',
  validateLaunch: 'Validate attachments, secrets and grants',
  recordRunning: 'Record that the session runs',
};

const { freezeConfiguration: freezeByServer } = proxyActivities<Activities>({
  summary: summaries.freezeConfiguration,
  startToCloseTimeout: '60 seconds',
  retry: someAttempts,
  ...leaveRunning,
});

const { validateLaunch: validateByServer } = proxyActivities<Activities>({
  summary: summaries.validateLaunch,
  startToCloseTimeout: '15 seconds',
  retry: someAttempts,
  ...leaveRunning,
});

/**
 * Waits for a cancelled start: stopping before it has ended would leave a workload behind. Images may have to
 * be pulled; the driver's own limit is shorter.
 */
export const { startWorkload } = proxyActivities<Activities>({
  summary: 'Resolve secrets, render and start the workload',
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { ...someAttempts, maximumAttempts: 3 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

const { recordRunning: recordRunningByServer } = proxyActivities<Activities>({
  summary: summaries.recordRunning,
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

/**
 * Steps on the way to a running session that take milliseconds. Together shorter than a
 * workflow's task may take.
 */
const here = (startToCloseTimeout: '2 seconds' | '4 seconds', summary: string) =>
  proxyLocalActivities<Pick<Activities, 'freezeConfiguration' | 'validateLaunch' | 'recordRunning'>>({
    ...{ startToCloseTimeout, summary },
    retry: { maximumAttempts: 1 },
    ...leaveRunning,
  });

export const freezeConfiguration = atOnce(
  here('2 seconds', summaries.freezeConfiguration).freezeConfiguration,
  freezeByServer,
);

/** Longer than the expressions of manifests may take, which would otherwise be checked twice. */
export const validateLaunch = atOnce(
  here('4 seconds', summaries.validateLaunch).validateLaunch,
  validateByServer,
);

export const recordRunning = atOnce(
  here('2 seconds', summaries.recordRunning).recordRunning,
  recordRunningByServer,
);

/** The limit is how late an end is noticed when the worker is lost that looks. */
export const { inspectWorkload } = proxyActivities<Activities>({
  summary: 'Look whether the workload still runs',
  startToCloseTimeout: '30 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

export const { deliverInputs } = proxyActivities<Activities>({
  summary: 'Deliver messages to the sidecar',
  startToCloseTimeout: '30 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

export const { checkIdle } = proxyActivities<Activities>({
  summary: 'Check how long nothing has happened',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

/** Of a session that goes on: what its agent hands over, and git within its limits. */
export const { makePatch } = proxyActivities<Activities>({
  summary: 'Make the patch that somebody asked for',
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '10 seconds',
  scheduleToCloseTimeout: '5 minutes',
  retry: untilItWorks,
  ...leaveRunning,
});

export const { giveUpPatch } = proxyActivities<Activities>({
  summary: 'Say that there is no patch',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

/** The containers end within a minute; then the patch of a repository is made, and stored. */
export const { stopWorkload } = proxyActivities<Activities>({
  summary: 'Stop the workload',
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: untilItWorks,
});

export const { listOpenRequests } = proxyActivities<Activities>({
  summary: 'List the permission requests that are still open',
  startToCloseTimeout: '15 seconds',
  scheduleToCloseTimeout: '7 days',
  retry: untilItWorks,
});

export const { recordEnd } = proxyActivities<Activities>({
  summary: 'Record how the session ended',
  startToCloseTimeout: '15 seconds',
  scheduleToCloseTimeout: '7 days',
  retry: untilItWorks,
});

export const { readRequest } = proxyActivities<Activities>({
  summary: 'Read the permission request',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
});

export const { closeRequest } = proxyActivities<Activities>({
  summary: 'Close the permission request',
  startToCloseTimeout: '15 seconds',
  scheduleToCloseTimeout: '7 days',
  retry: untilItWorks,
});

/** Shorter than an approval's lifetime: the human is notified, and can decide again. */
export const { carryOutDecision } = proxyActivities<Activities>({
  summary: "Verify and carry out the human's decision",
  startToCloseTimeout: '15 seconds',
  scheduleToCloseTimeout: '4 minutes',
  retry: untilItWorks,
});

export const { freezeCheck } = proxyActivities<Activities>({
  summary: 'Freeze what the check runs with',
  startToCloseTimeout: '60 seconds',
  retry: someAttempts,
  ...leaveRunning,
});

/** Like `startWorkload`. */
export const { startCheck } = proxyActivities<Activities>({
  summary: 'Resolve secrets, render and start the check',
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { ...someAttempts, maximumAttempts: 3 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Holds one slot of a worker for as long as the check runs, on a queue for that alone; a lost worker is
 * noticed by the heartbeat.
 */
export const watchCheck: Activities['watchCheck'] = (input) =>
  proxyActivities<Activities>({
    summary: 'Watch the check until it ends',
    taskQueue: taskQueues(workflowInfo().taskQueue).watches,
    startToCloseTimeout: '8 days',
    heartbeatTimeout: '10 seconds',
    retry: untilItWorks,
    ...leaveRunning,
  }).watchCheck(input);

export const { stopCheck } = proxyActivities<Activities>({
  summary: 'Stop what the check runs',
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: untilItWorks,
});

export const { recordCheckEnd } = proxyActivities<Activities>({
  summary: 'Record how the check ended',
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '7 days',
  retry: untilItWorks,
});

const ofRegistration = { startToCloseTimeout: '15 seconds', retry: untilItWorks } as const;

export const { readRegistrationTask } = proxyActivities<Activities>({
  summary: 'Read what is to be done',
  ...ofRegistration,
});

/**
 * Longer than a discovery may take. A server that is in trouble gets a few minutes;
 * then an admin can try again.
 */
const atTheServer = {
  startToCloseTimeout: '90 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds', maximumAttempts: 5 },
  ...leaveRunning,
};

export const { discoverServer } = proxyActivities<Activities>({
  summary: 'Ask the server how people sign in to it',
  ...atTheServer,
});

export const { registerClient } = proxyActivities<Activities>({
  summary: 'Register the platform at the authorization server',
  ...atTheServer,
});

export const { recordRegistrationFailure } = proxyActivities<Activities>({
  summary: 'Record why the registration failed',
  ...ofRegistration,
});

export const { retireRegistration } = proxyActivities<Activities>({
  summary: 'Retire the clients of a removed entry',
  ...ofRegistration,
});

export const { deleteRetiredClients } = proxyActivities<Activities>({
  summary: 'Delete clients that are no longer used at their authorization servers',
  ...atTheServer,
});

export const { openAuthorizations } = proxyActivities<Activities>({
  summary: 'Find out where the operator has to sign in',
  startToCloseTimeout: '15 seconds',
  retry: someAttempts,
  ...leaveRunning,
});

export const { checkAuthorization } = proxyActivities<Activities>({
  summary: 'Look whether the person has signed in',
  ...ofRegistration,
  ...leaveRunning,
});

export const { removeRegistration } = proxyActivities<Activities>({
  summary: 'Remove the registration',
  ...ofRegistration,
});

/**
 * Attempts within a quarter of an hour, unless the webhook asks for longer pauses. On a queue of its own:
 * others' webhooks may be slow. A lost worker is noticed by the heartbeat.
 */
export const deliverMessage: Activities['deliverMessage'] = (input) =>
  proxyActivities<Activities>({
    summary: 'Post the message to the webhook of its channel',
    taskQueue: taskQueues(workflowInfo().taskQueue).deliveries,
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout: '10 seconds',
    scheduleToCloseTimeout: '6 hours',
    retry: {
      initialInterval: '1 second',
      maximumInterval: '5 minutes',
      maximumAttempts: mostDeliveryAttempts,
    },
  }).deliverMessage(input);

export const { recordDeliveryFailure } = proxyActivities<Activities>({
  summary: 'Record why the message was not delivered',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
});

export const { freezeService } = proxyActivities<Activities>({
  summary: 'Freeze what the service runs with',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

/**
 * Like `startWorkload`, but for a limit of time in place of one of attempts: nobody loses work
 * when it is given up later.
 */
export const { startService } = proxyActivities<Activities>({
  summary: 'Resolve secrets, render and start the service',
  startToCloseTimeout: '20 minutes',
  scheduleToCloseTimeout: '30 minutes',
  heartbeatTimeout: '10 seconds',
  retry: untilItWorks,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

export const { publishService } = proxyActivities<Activities>({
  summary: 'Record where the service is asked',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

export const { lookAtService } = proxyActivities<Activities>({
  summary: 'Look whether the service is wanted and runs',
  startToCloseTimeout: '30 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

export const { stopService } = proxyActivities<Activities>({
  summary: 'Stop the service',
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: untilItWorks,
});

export const { recordServiceEnd } = proxyActivities<Activities>({
  summary: 'Record how the service ended',
  startToCloseTimeout: '15 seconds',
  scheduleToCloseTimeout: '7 days',
  retry: untilItWorks,
});

export const { startScheduledSession } = proxyActivities<Activities>({
  summary: 'Start the session that is due',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
});

export const { lookAtScheduledSession } = proxyActivities<Activities>({
  summary: 'Look whether the session has ended',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
  ...leaveRunning,
});

export const { endScheduledSession } = proxyActivities<Activities>({
  summary: 'End the session in favour of the next run',
  startToCloseTimeout: '15 seconds',
  retry: untilItWorks,
});
