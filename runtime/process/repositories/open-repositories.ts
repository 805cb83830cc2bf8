/** Repositories of the sessions of one worker. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createSharedSemaphore } from '../../../lib/limits/semaphore.ts';
import type { PrivateHosts } from '../../bridge-config.ts';
import type { PackageSources } from '../../variables.ts';
import {
  type MadePatch,
  type OnStartDelay,
  type TakePatch,
  UnsupportedWorkloadError,
} from '../../workload.ts';
import type { WorkloadPlan } from '../../workload-plan/workload-plan.ts';
import type { PackageCacheSettings } from '../packages/open-session-packages.ts';
import type { Machine } from '../render-launch.ts';
import type { AgentRepository } from './agent-repository.ts';
import {
  fetchRepository,
  type RepositoryLimits,
  readWorkspace,
  repositoryLimits,
} from './fetch-repository.ts';
import { makePatch } from './make-patch.ts';
import { createPatchesSoFar, type PatchesSoFar } from './patches-so-far.ts';

interface OpenOptions {
  packages: Pick<PackageSources, 'caFile'>;
  packageCache: Pick<PackageCacheSettings, 'outboundProxy'> | null;
  privateRepositoryHosts: PrivateHosts;
  takePatch: TakePatch;
  logger: Logger;
}

interface FetchOptions {
  credential: string | null;
  /** The session's. */
  directory: string;
  signal: AbortSignal;
  onDelay: OnStartDelay;
}

export interface RepositoriesOfSessions {
  /** False without a sandbox or without git. */
  areThere: boolean;
  /**
   * Null for a session without one. Throws WorkloadFailedError for what cannot be fetched, or the reason of
   * `signal`.
   */
  fetch(plan: WorkloadPlan, options: FetchOptions): Promise<AgentRepository | null>;
  /**
   * Of what the agent of a running session has changed so far. Throws for a fault of the worker, the reason
   * of `signal`, or when the session is being stopped.
   */
  makePatchSoFar(sessionId: string, directory: string, signal: AbortSignal): Promise<MadePatch>;
  /** For all of a stop: nothing is made in the session's directory meanwhile. */
  withoutPatchSoFar: PatchesSoFar['without'];
  /** Of an ended session. Throws when the patch is not accepted, or `signal` is aborted before it is made. */
  handOverPatch(sessionId: string, directory: string, signal?: AbortSignal): Promise<void>;
}

/** Jobs at a time, each with a sandbox and its files; one workspace leaves room for others. */
const jobLimits = { permits: 8, permitsOfKey: 2 };

export function openRepositories(
  { packages, packageCache, privateRepositoryHosts: privateHosts, takePatch, logger }: OpenOptions,
  { root, ...machine }: Pick<Machine, 'root' | 'programs' | 'limits' | 'cgroups' | 'owner'>,
  changes: Partial<RepositoryLimits> = {},
): RepositoriesOfSessions {
  const { workspaceBytes } = machine.limits;
  const limits = { ...repositoryLimits(workspaceBytes), ...changes };
  const settings = {
    ...{ privateHosts, limits, caFile: packages.caFile },
    outboundProxy: packageCache?.outboundProxy ?? null,
  };
  const inTurn = createSharedSemaphore(jobLimits);
  const patchesSoFar = createPatchesSoFar();
  return {
    areThere: root !== null && hasGit(),
    async fetch({ sessionId, workspaceId, repository }, { credential, directory, signal, onDelay }) {
      if (repository === undefined) {
        return null;
      }
      if (root === null) {
        throw new UnsupportedWorkloadError('a repository needs a sandbox');
      }
      const { name, url, ref } = repository;
      onDelay({ repository: name, from: url, ref });
      const startedAtMs = Date.now();
      await inTurn(workspaceId, signal, () =>
        fetchRepository(
          { workspaceId, name, url, ref, credential },
          { machine: { ...machine, root }, settings, directory, signal },
        ),
      );
      logger.info(
        { sessionId, repository: name, tookMs: Date.now() - startedAtMs },
        'a repository was fetched',
      );
      return { directory, changesBytes: limits.changesBytes };
    },
    async makePatchSoFar(sessionId, directory, signal) {
      const workspaceId = readWorkspace(directory);
      if (root === null || workspaceId === null) {
        return { problem: 'the files of the repository are not there' };
      }
      return patchesSoFar.make(
        { sessionId, workspaceId, directory },
        {
          ...{ machine: { ...machine, root }, limits, signal },
          inTurn: (ended, compare) => inTurn(workspaceId, ended, compare),
        },
      );
    },
    withoutPatchSoFar: patchesSoFar.without,
    async handOverPatch(sessionId, directory, signal = new AbortController().signal) {
      const workspaceId = readWorkspace(directory);
      if (root === null || workspaceId === null) {
        return;
      }
      const options = { machine: { ...machine, root }, limits, signal };
      const make = () => makePatch(directory, options);
      const made = await inTurn(workspaceId, signal, make).catch((error: unknown) => {
        logger.error({ err: error, sessionId }, 'the patch of a session was not made, and is tried again');
        throw error;
      });
      if (made !== null && 'problem' in made) {
        logger.warn({ sessionId, why: made.problem }, 'a session has no patch');
      }
      if (made !== null) {
        await takePatch(sessionId, made);
      }
    },
  };
}

/** Where every sandbox sees it. */
function hasGit(): boolean {
  return ['/usr/local/bin', '/usr/bin'].some((directory) => {
    try {
      accessSync(join(directory, 'git'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
