/** Activities of registrations that follow a script. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities } from '../../activities/index.ts';
import type { RegistrationTask } from '../../activities/mcp-registrations/attempt.ts';

/** One registration's script. */
export class ScriptedRegistration {
  /** What its row says, in turn; then nothing is left to do. */
  tasks: RegistrationTask['kind'][] = ['register'];
  needsClient = true;
  readonly calls: string[] = [];
  /** By activity: what it fails with. */
  readonly failures = new Map<string, () => ApplicationFailure>();
  /** Runs during an activity of that name. */
  readonly during = new Map<string, () => Promise<void>>();
  revision = 0;
}

type RegistrationActivity =
  | 'readRegistrationTask'
  | 'discoverServer'
  | 'registerClient'
  | 'recordRegistrationFailure'
  | 'retireRegistration'
  | 'deleteRetiredClients'
  | 'removeRegistration';

export function registrationActivities(
  registrations: ReadonlyMap<string, ScriptedRegistration>,
): Pick<Activities, RegistrationActivity> {
  const begin = async (name: RegistrationActivity, { registrationId }: { registrationId: string }) => {
    const script = registrations.get(registrationId);
    if (script === undefined) {
      throw ApplicationFailure.nonRetryable(`no script for registration ${registrationId}`);
    }
    await script.during.get(name)?.();
    const failure = script.failures.get(name);
    script.calls.push(name);
    if (failure !== undefined) {
      throw failure();
    }
    return script;
  };
  return {
    readRegistrationTask: async (input) => {
      const script = await begin('readRegistrationTask', input);
      const kind = script.tasks.shift() ?? 'nothing';
      if (kind !== 'register') {
        return { kind };
      }
      script.revision += 1;
      const shown = { subject: 'demo/notes', searchAttributesKnown: true };
      return { kind, revision: script.revision, workspaceId: 'workspace-1', ...shown };
    },
    discoverServer: async (input) => {
      const { needsClient } = await begin('discoverServer', input);
      return needsClient ? { needsClient } : { needsClient, settled: { status: 'ready', reason: null } };
    },
    registerClient: async (input) => {
      await begin('registerClient', input);
      return { status: 'ready', reason: null };
    },
    recordRegistrationFailure: async (input) => {
      (await begin('recordRegistrationFailure', input)).calls.push(input.reason);
      return { status: 'failed', reason: input.reason };
    },
    retireRegistration: async (input) => {
      await begin('retireRegistration', input);
    },
    deleteRetiredClients: async (input) => {
      await begin('deleteRetiredClients', input);
    },
    removeRegistration: async (input) => {
      await begin('removeRegistration', input);
      return true;
    },
  };
}
