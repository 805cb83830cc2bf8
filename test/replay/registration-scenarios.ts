/** Runs of registrations whose histories are recorded, as those of `scenarios.ts`. */
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import { mcpRegistrationWorkflowId } from '../../contract/workflows.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { ScriptedRegistration } from '../workflows/scripted-registrations.ts';
import type { Recorded, Scenario, Stage } from './scenarios.ts';

const refused = () => ApplicationFailure.nonRetryable('It lacks S256.', 'registration_refused');

/** Plays the script to its end; `during` is given what revises the registration. */
async function play(
  { worker, platform }: Stage,
  script: Partial<ScriptedRegistration>,
  during: Record<
    string,
    (revise: () => Promise<void>, registration: ScriptedRegistration) => Promise<void>
  > = {},
): Promise<Recorded> {
  const registrationId = randomUUID();
  const registration = Object.assign(new ScriptedRegistration(), script);
  platform.registrations.set(registrationId, registration);
  const { reviseRegistration } = createWorkflows(worker.client.workflow, worker.taskQueue);
  const revise = () => reviseRegistration(registrationId, 'a registration');
  for (const [activity, work] of Object.entries(during)) {
    registration.during.set(activity, () => work(revise, registration));
  }
  await revise();
  const workflowId = mcpRegistrationWorkflowId(registrationId);
  await worker.client.workflow.getHandle(workflowId).result();
  return { workflowId };
}

export const registrationScenarios: Record<string, Scenario> = {
  'registration-with-a-client': (stage) => play(stage, {}),
  'registration-without-a-sign-in': (stage) => play(stage, { needsClient: false }),
  'registration-that-failed-and-is-tried-again-while-it-runs': (stage) =>
    play(
      stage,
      { tasks: ['register', 'register'], failures: new Map([['registerClient', refused]]) },
      {
        recordRegistrationFailure: async (revise, registration) => {
          registration.failures.clear();
          await revise();
        },
      },
    ),
  'registration-of-a-removed-entry': (stage) => play(stage, { tasks: ['remove'] }),
  'registration-of-a-removed-entry-whose-server-keeps-its-client': (stage) =>
    play(stage, { tasks: ['remove'], failures: new Map([['deleteRetiredClients', refused]]) }),
};
