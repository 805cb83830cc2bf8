/** Workflows with one careless change each, to prove that the recorded histories would detect it. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workflowBundle } from '../support/worker.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Alteration {
  what: string;
  file: string;
  from: string;
  to: string;
  /** A history that must not replay any more. */
  breaks: string;
}

export const alterations: Alteration[] = [
  {
    what: 'a launch that is not validated',
    file: 'session-workflow.ts',
    from: 'await steps.validateLaunch({ sessionId })',
    to: '{ needsSignIn: false }',
    breaks: 'session-completes-when-its-agent-exits',
  },
  {
    what: 'a launch that does not wait for its operator',
    file: 'session-workflow.ts',
    from: 'await Promise.all(waitingFor.map(signIn))',
    to: "waitingFor.map(() => ({ status: 'connected' }))",
    breaks: 'session-waits-for-a-sign-in',
  },
  {
    what: 'a sign-in that is believed without a look',
    file: 'authorization-workflow.ts',
    from: "if (status !== 'pending') {",
    to: 'if (isSettled) {',
    breaks: 'authorization-connected',
  },
  {
    what: 'a workload that is not stopped',
    file: 'session-workflow.ts',
    from: 'await stopOrLeaveToSweep(() => steps.stopWorkload({ sessionId }), { sessionId });',
    to: '',
    breaks: 'session-workflow-is-cancelled',
  },
  {
    what: 'an agent that gets no time to exit',
    file: 'session-workflow.ts',
    from: 'if (!state.terminateRequested) {',
    to: 'if (state.terminateRequested) {',
    breaks: 'session-ended-by-its-agent-that-stays',
  },
  {
    what: 'requests that are not informed of the end',
    file: 'session-workflow.ts',
    from: 'await Promise.all(requestIds.map(tellRequest));',
    to: '',
    breaks: 'session-ends-with-an-open-request',
  },
  {
    what: 'a later run that launches again',
    file: 'session-workflow.ts',
    from: 'if (resume !== undefined) {',
    to: 'if (resume === null) {',
    breaks: 'session-continued-from-an-earlier-run',
  },
  {
    what: 'a workload that is not looked at before the first signal',
    file: 'workload-end.ts',
    from: '    state.workloadChanged = false;\n',
    to: '    await condition(() => state.workloadChanged);\n    state.workloadChanged = false;\n',
    breaks: 'session-looked-at-once-by-a-later-run',
  },
  {
    what: 'a signal after which the workload is not looked at',
    file: 'workload-end.ts',
    from: '? condition(hasChanged)',
    to: '? condition(() => false)',
    breaks: 'session-completes-after-a-signal-of-its-workload',
  },
  {
    what: 'a launch whose short steps go by the server',
    file: 'at-once.ts',
    from: 'return await here(input);',
    to: 'return await durable(input);',
    breaks: 'session-that-still-runs',
  },
  {
    what: 'a step at once whose fault ends the launch',
    file: 'at-once.ts',
    from: 'return durable(input);',
    to: 'throw error;',
    breaks: 'session-whose-steps-at-once-failed',
  },
  {
    what: 'an expiry that is not written down',
    file: 'permission-request-workflow.ts',
    from: 'state.outcome = await steps.closeRequest({ requestId, status });',
    to: 'state.outcome = { status, grantId: null };',
    breaks: 'request-expires',
  },
  {
    what: 'an expiry that does not wait for a decision under way',
    file: 'permission-request-workflow.ts',
    from: 'while (state.deciding) {\n    await condition(() => !state.deciding);\n  }\n  if (state.outcome',
    to: 'if (state.outcome',
    breaks: 'request-decided-across-its-expiry',
  },
  {
    what: 'a grant without its activity',
    file: 'grant-workflow.ts',
    from: 'await steps.carryOutDecision({ decisionId })',
    to: 'await steps.closeRequest({ requestId: decisionId, status: "expired" })',
    breaks: 'grant-written',
  },
  {
    what: 'a check that is not stopped',
    file: 'mcp-check-workflow.ts',
    from: 'await stopOrLeaveToSweep(() => steps.stopCheck({ checkId }), { checkId });',
    to: '',
    breaks: 'check-reaches-its-limit',
  },
  {
    what: 'a check that does not show how it ended',
    file: 'mcp-check-workflow.ts',
    from: 'showProgress(status, sentence, searchAttributesKnown);',
    to: '',
    breaks: 'check-ends-when-its-tools-are-listed',
  },
  {
    what: 'a client that is registered before the server was asked',
    file: 'mcp-registration-workflow.ts',
    from: 'const found = await steps.discoverServer(attempt);',
    to: 'const found = { needsClient: true };',
    breaks: 'registration-with-a-client',
  },
  {
    what: 'clients that were replaced and stay at their server',
    file: 'mcp-registration-workflow.ts',
    from: 'await register({ registrationId, revision }, searchAttributesKnown);\n      await deleteOrLeave(registrationId);',
    to: 'await register({ registrationId, revision }, searchAttributesKnown);',
    breaks: 'registration-with-a-client',
  },
  {
    what: 'a client where nobody signs in',
    file: 'mcp-registration-workflow.ts',
    from: 'found.needsClient ? await steps.registerClient(attempt) : found.settled',
    to: 'await steps.registerClient(attempt)',
    breaks: 'registration-without-a-sign-in',
  },
  {
    what: 'a failed registration whose reason is not written down',
    file: 'mcp-registration-workflow.ts',
    from: 'await steps.recordRegistrationFailure({ ...attempt, reason, isTemporary });',
    to: "{ status: 'failed', reason };",
    breaks: 'registration-that-failed-and-is-tried-again-while-it-runs',
  },
  {
    what: 'a registration that does not begin again when it is revised',
    file: 'mcp-registration-workflow.ts',
    from: 'while (isRevised) {',
    to: 'if (isRevised) {',
    breaks: 'registration-that-failed-and-is-tried-again-while-it-runs',
  },
  {
    what: 'clients of a removed entry that are not retired first',
    file: 'mcp-registration-workflow.ts',
    from: 'await steps.retireRegistration({ registrationId });',
    to: '',
    breaks: 'registration-of-a-removed-entry',
  },
  {
    what: 'a registration that stays when a server keeps its client',
    file: 'mcp-registration-workflow.ts',
    from: 'if (!(error instanceof ActivityFailure)) {\n      throw error;\n    }\n  }\n}',
    to: 'throw error;\n  }\n}',
    breaks: 'registration-of-a-removed-entry-whose-server-keeps-its-client',
  },
  {
    what: 'a message that is given up without a record',
    file: 'channel-message-workflow.ts',
    from: "return steps.recordDeliveryFailure({ messageId, failure: sentenceOf(error, 'delivery_failed') });",
    to: "return { status: 'failed', failure: 'internal_error' };",
    breaks: 'message-given-up',
  },
  {
    what: 'a message whose delivery is recorded before it was tried',
    file: 'channel-message-workflow.ts',
    from: 'const outcome = await steps.deliverMessage({ messageId });',
    to: 'const outcome = await steps.recordDeliveryFailure({ messageId, failure: null });',
    breaks: 'message-delivered-after-a-failure',
  },
  {
    what: 'a service that is not stopped',
    file: 'service-preview-workflow.ts',
    from: 'await stopOrLeaveToSweep(() => steps.stopService({ previewId }), { previewId });',
    to: '',
    breaks: 'service-stopped-with-its-preview',
  },
  {
    what: 'a service that is published before its gateway is ready',
    file: 'service-preview-workflow.ts',
    from: "const isReady = await condition(() => state.isReady, startMs, { summary: 'Wait for the gateway' });",
    to: 'const isReady = startMs > 0;',
    breaks: 'service-whose-gateway-is-not-ready',
  },
  {
    what: 'a later run that starts the service again',
    file: 'service-preview-workflow.ts',
    from: 'const ending = state.isStarted ? null : await launch(state);',
    to: 'const ending = await launch(state);',
    breaks: 'service-continued-from-an-earlier-run',
  },
  {
    what: 'a signal after which the service is not looked at',
    file: 'service-preview-workflow.ts',
    from: 'await condition(() => state.hasChanged, waitMs',
    to: 'await condition(() => false, waitMs',
    breaks: 'service-that-exits',
  },
  {
    what: 'a gateway that was started again and is not published',
    file: 'service-preview-workflow.ts',
    from: 'await condition(() => state.isReady);',
    to: 'await condition(() => false);',
    breaks: 'service-whose-gateway-starts-again',
  },
  {
    what: 'a run that is over before its session',
    file: 'scheduled-run-workflow.ts',
    from: 'if ((await steps.lookAtScheduledSession({ scheduleId })).hasEnded) {',
    to: 'if ((await steps.lookAtScheduledSession({ scheduleId })) !== null) {',
    breaks: 'run-whose-session-ends',
  },
  {
    what: 'a run that makes way and leaves its session behind',
    file: 'scheduled-run-workflow.ts',
    from: 'await steps.endScheduledSession({ scheduleId });',
    to: '',
    breaks: 'run-that-makes-way-for-the-next',
  },
  {
    what: 'a later run that starts a session again',
    file: 'scheduled-run-workflow.ts',
    from: 'input.isStarted ?? ',
    to: '',
    breaks: 'run-continued-from-an-earlier-run',
  },
];

/** The workflows with the change made. Throws when the text to change is not there any more. */
export async function bundleAltered({ what, file, from, to }: Alteration): Promise<{ code: string }> {
  // Below the project, for its packages, and outside of node_modules, which is not compiled.
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache/altered-'));
  try {
    for (const part of ['workflows', 'contract']) {
      cpSync(join(root, part), join(folder, part), { recursive: true });
    }
    const path = join(folder, 'workflows', file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) {
      throw new Error(`${file} changed: update how it would have ${what}`);
    }
    writeFileSync(path, text.replace(from, to));
    return await workflowBundle(join(folder, 'workflows/index.ts'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
