import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import { mcpRegistrationWorkflowId } from '../../contract/workflows.ts';
import { createWorkflows } from '../../workflows/client.ts';
import type { mcpRegistrationWorkflow } from '../../workflows/index.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedPlatform } from './scripted-activities.ts';
import { ScriptedRegistration } from './scripted-registrations.ts';

const platform = new ScriptedPlatform();
let worker: TestWorker;

beforeAll(async () => {
  worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
});
afterAll(() => worker.stop());

const revise = (registrationId: string) =>
  createWorkflows(worker.client.workflow, worker.taskQueue).reviseRegistration(
    registrationId,
    'a registration',
  );

function scripted(script: Partial<ScriptedRegistration>) {
  const id = randomUUID();
  const registration = Object.assign(new ScriptedRegistration(), script);
  platform.registrations.set(id, registration);
  return { id, registration };
}

async function run(script: Partial<ScriptedRegistration> = {}): Promise<readonly string[]> {
  const { id, registration } = scripted(script);
  await revise(id);
  await ended(id);
  return registration.calls;
}

const ended = (id: string) =>
  worker.client.workflow.getHandle<typeof mcpRegistrationWorkflow>(mcpRegistrationWorkflowId(id)).result();

describe('a registration', () => {
  it('discovers the server, registers a client, and deletes those that it replaced', async () => {
    expect(await run()).toEqual([
      'readRegistrationTask',
      'discoverServer',
      'registerClient',
      'deleteRetiredClients',
    ]);
  });

  it('registers no client where nobody signs in', async () => {
    expect(await run({ needsClient: false })).toEqual([
      'readRegistrationTask',
      'discoverServer',
      'deleteRetiredClients',
    ]);
  });

  it.each(['discoverServer', 'registerClient'])('records why %s is refused', async (activity) => {
    const refused = () => ApplicationFailure.nonRetryable('It lacks S256.', 'registration_refused');
    const calls = await run({ failures: new Map([[activity, refused]]) });
    expect(calls.slice(calls.indexOf(activity))).toEqual([
      activity,
      'recordRegistrationFailure',
      'It lacks S256.',
      'deleteRetiredClients',
    ]);
  });

  it('tries again a server that is in trouble', async () => {
    const failures = new Map<string, () => ApplicationFailure>();
    failures.set('discoverServer', () => {
      failures.delete('discoverServer');
      return ApplicationFailure.retryable('It answered 503.', 'registration_refused');
    });
    expect(await run({ failures })).toEqual([
      'readRegistrationTask',
      'discoverServer',
      'discoverServer',
      'registerClient',
      'deleteRetiredClients',
    ]);
  });

  it('quotes no failure but a refusal', async () => {
    const failures = new Map([['discoverServer', () => ApplicationFailure.nonRetryable('a secret')]]);
    const calls = await run({ failures });
    expect(calls.join(' ')).toContain('An internal error of the platform');
    expect(calls.join(' ')).not.toContain('a secret');
  });

  it('of a removed entry deletes its clients and itself, even where a server keeps one', async () => {
    const refused = () => ApplicationFailure.nonRetryable('no');
    const failures = new Map([['deleteRetiredClients', refused]]);
    expect(await run({ tasks: ['remove'], failures })).toEqual([
      'readRegistrationTask',
      'retireRegistration',
      'deleteRetiredClients',
      'removeRegistration',
    ]);
  });

  it.each(['discoverServer', 'deleteRetiredClients'])(
    'begins again when it is revised during %s',
    async (activity) => {
      const { id, registration } = scripted({ tasks: ['register', 'register'] });
      registration.during.set(activity, async () => {
        registration.during.clear();
        await revise(id);
      });
      await revise(id);
      await ended(id);
      expect(registration.calls.filter((call) => call === 'discoverServer')).toHaveLength(2);
      expect(registration.tasks).toEqual([]);
    },
  );

  it.each([
    [{}, 'ready'],
    [{ needsClient: false }, 'ready'],
    [{ tasks: ['remove'] }, 'removed'],
    [{ tasks: [] }, 'unchanged'],
  ] as [Partial<ScriptedRegistration>, string][])('returns its outcome: %j is %s', async (script, status) => {
    const { id } = scripted(script);
    await revise(id);
    expect(await ended(id)).toEqual({ status, reason: null });
  });

  it('does nothing when nothing is left to do', async () => {
    expect(await run({ tasks: [] })).toEqual(['readRegistrationTask']);
  });

  it('tells an operator in Temporal where it stands', async () => {
    const failures = new Map([
      ['discoverServer', () => ApplicationFailure.nonRetryable('It lacks S256.', 'registration_refused')],
    ]);
    const { id } = scripted({ failures });
    await revise(id);
    expect(await ended(id)).toEqual({ status: 'failed', reason: 'It lacks S256.' });
    const { searchAttributes, staticDetails } = await worker.client.workflow
      .getHandle(mcpRegistrationWorkflowId(id))
      .describe();
    expect({ searchAttributes, staticDetails }).toMatchObject({
      searchAttributes: {
        ...{ PlatformWorkspace: ['workspace-1'], PlatformStatus: ['failed'] },
        PlatformSubject: ['demo/notes'],
      },
    });
  });
});
