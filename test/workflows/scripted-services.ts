/** Activities of previews that show a service, which follow a script. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities } from '../../activities/index.ts';
import type { ServiceLook } from '../../activities/service-previews/look-at-service.ts';
import type { ServiceEnding } from '../../contract/workflows.ts';

type ServiceActivity =
  | 'freezeService'
  | 'startService'
  | 'publishService'
  | 'lookAtService'
  | 'stopService'
  | 'recordServiceEnd';

/** One service's script and what was called for it, in order. */
export class ScriptedService {
  readonly calls: (ServiceActivity | 'started')[] = [];
  /** Whether anybody wants it when it is frozen, and when it is started. */
  isWanted = { freezeService: true, startService: true };
  startMs = 20_000;
  /** Its gateway has reported to a run that was lost. */
  hasReported = false;
  /** How long the start takes. */
  startTakesMs = 0;
  /** What the next look finds. */
  ending: ServiceEnding | null = null;
  isRestarting = false;
  lookAgainInMs = 600_000;
  /** What each look was given. */
  readonly looks: Omit<ServiceLook, 'previewId'>[] = [];
  /** What the named activity fails with, each time. */
  readonly failures = new Map<ServiceActivity, () => Error>();
  /** As the database has it. */
  recorded: ServiceEnding | null = null;

  count(name: ServiceActivity): number {
    return this.calls.filter((call) => call === name).length;
  }
}

export function serviceActivities(
  services: ReadonlyMap<string, ScriptedService>,
): Pick<Activities, ServiceActivity> {
  const begin = (name: ServiceActivity, { previewId }: { previewId: string }): ScriptedService => {
    const script = services.get(previewId);
    if (script === undefined) {
      throw ApplicationFailure.nonRetryable(`no script for the service of ${previewId}`);
    }
    script.calls.push(name);
    const failure = script.failures.get(name);
    if (failure !== undefined) {
      throw failure();
    }
    return script;
  };
  return {
    freezeService: async (input) => {
      const { isWanted, startMs, hasReported } = begin('freezeService', input);
      return isWanted.freezeService
        ? {
            ...{
              workspaceId: 'workspace-1',
              sessionId: 'session-1',
              subject: null,
              searchAttributesKnown: true,
            },
            ...{ startMs, hasReported },
          }
        : null;
    },
    startService: async (input) => {
      const { isWanted, startTakesMs, calls } = begin('startService', input);
      await new Promise((resolve) => setTimeout(resolve, startTakesMs));
      calls.push('started');
      return { isWanted: isWanted.startService };
    },
    publishService: async (input) => {
      begin('publishService', input);
    },
    lookAtService: async ({ previewId, ...look }) => {
      const { looks, ending, isRestarting, lookAgainInMs } = begin('lookAtService', { previewId });
      looks.push(look);
      return { ending, isRestarting, lookAgainInMs };
    },
    stopService: async (input) => {
      begin('stopService', input);
    },
    recordServiceEnd: async ({ previewId, ending }) => {
      const script = begin('recordServiceEnd', { previewId });
      script.recorded ??= ending;
      return script.recorded;
    },
  };
}
