/**
 * What the activities of one workspace take of this process: connections to the database, and slots of what
 * lasts as long as something does that the workspace chose, such as its servers and images, of decisions, and
 * of the many short ones that its sessions need.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { RefusalType } from '../contract/workflows.ts';
import { createKeyedSemaphore, type PermitOwner } from '../lib/limits/semaphore.ts';
import { onBehalfOf } from '../store/connection-shares.ts';
import { createWorkspaceOf, type InSomeWorkspace } from '../store/workspaces/workspace-of.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** Slots for looks and other short activities, beside starts, which may take minutes each. */
export const shortActivities = 50;
/** Few attempts are made, and these activities may take a minute. */
const tryAgainMs = 20_000;
/** Decisions of people that a worker carries out at a time, half of them for one workspace. */
export const decisionsAtATime = 20;
const decisionsOfWorkspace = decisionsAtATime / 2;
/** Of the slots for short activities, those that one workspace holds at a time. */
export const shortActivitiesOfWorkspace = shortActivities / 2;
/** Slots for what runs within a workflow's task, half of them for one workspace. */
export const localActivities = 100;
export const localActivitiesOfWorkspace = localActivities / 2;
/** The steps of a launch have few attempts, which last for more than half a minute so. */
const launchAgainMs = 5000;
/** Each asks its sidecar, its runtime or the database, and has no limit of attempts. */
const shortAgainMs = 1000;
/**
 * Patches of sessions that run, of all workspaces and of one: each may wait for an agent for half a minute.
 */
const patchesAtATime = 8;
const patchesOfWorkspace = 2;
const patchAgainMs = 3000;
/** What activities are about that hold the slots of decisions. */
const decided: ReadonlySet<InSomeWorkspace> = new Set<InSomeWorkspace>(['permissionRequest', 'decision']);
/** Somebody waits for the answer. */
const decideAgainMs = 500;

const semaphore = createKeyedSemaphore();

/**
 * Does the work, unless that of the workspace holds half of this worker's slots already: then throws `type`,
 * to be tried again. It gives the slot to others instead of waiting in it.
 */
export async function inShare<Result>(
  { limits }: { limits: Pick<ActivityDependencies['limits'], 'WORKER_MAX_SESSIONS'> },
  { workspaceId, type }: { workspaceId: string; type: RefusalType },
  work: () => Promise<Result>,
): Promise<Result> {
  const share = Math.floor((limits.WORKER_MAX_SESSIONS + shortActivities) / 2);
  const message = `This workspace has ${share} launches and registrations under way on one worker, and may have no more; try again later`;
  return inPlace({ key: workspaceId, permits: share }, { type, message, nextRetryDelay: tryAgainMs }, work);
}

/** The same for a decision of a person, by the slots of the decisions. */
export function inDecisionShare<Result>(workspaceId: string, work: () => Promise<Result>): Promise<Result> {
  const message = `${decisionsOfWorkspace} decisions of this workspace are being carried out on one worker`;
  return inPlace(
    { key: `decisions ${workspaceId}`, permits: decisionsOfWorkspace },
    { message, nextRetryDelay: decideAgainMs },
    work,
  );
}

/**
 * The same for a short activity, by half of the slots for these: sessions whose sidecars keep silent, or that
 * all end at once, keep no other workspace's messages waiting.
 */
function inShortShare<Result>(workspaceId: string, work: () => Promise<Result>): Promise<Result> {
  const message = `${shortActivitiesOfWorkspace} short steps of this workspace are under way on one worker`;
  return inPlace(
    { key: `short ${workspaceId}`, permits: shortActivitiesOfWorkspace },
    { message, nextRetryDelay: shortAgainMs },
    work,
  );
}

/**
 * The same for a step of a launch: of the slots within workflows' tasks, beyond which it is left to the
 * server (`workflows/at-once.ts`), and there of those for short activities.
 */
export function inLaunchShare<Result>(
  { workspaceId, isLocal }: { workspaceId: string; isLocal: boolean },
  work: () => Promise<Result>,
): Promise<Result> {
  const [key, permits] = isLocal
    ? [`local ${workspaceId}`, localActivitiesOfWorkspace]
    : [`short ${workspaceId}`, shortActivitiesOfWorkspace];
  const message = `${permits} steps of launches of this workspace are under way on one worker`;
  return inPlace({ key, permits }, { message, nextRetryDelay: launchAgainMs }, work);
}

/**
 * The same for the patch of a session that runs, and by a limit for all workspaces: launches need these
 * slots.
 */
export const inPatchShare = <Result>(workspaceId: string, work: () => Promise<Result>): Promise<Result> =>
  inPlace(
    { key: `patches ${workspaceId}`, permits: patchesOfWorkspace },
    {
      message: `${patchesOfWorkspace} patches of this workspace are being made on one worker`,
      nextRetryDelay: patchAgainMs,
    },
    () =>
      inPlace(
        { key: 'patches', permits: patchesAtATime },
        {
          message: `${patchesAtATime} patches are being made on one worker`,
          nextRetryDelay: patchAgainMs,
        },
        work,
      ),
  );

async function inPlace<Result>(
  owner: PermitOwner,
  refusal: { message: string; type?: RefusalType; nextRetryDelay: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const release = semaphore.tryAcquire(owner);
  if (release === null) {
    throw ApplicationFailure.create(refusal);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

/** Of a pool of so many connections, those that one workspace holds at a time. */
export const shareOfConnections = (poolSize: number): number => Math.max(1, Math.floor(poolSize / 2));

export type ForItsWorkspace = <Result>(
  kind: InSomeWorkspace,
  id: string,
  work: () => Promise<Result>,
  slot?: Slot,
) => Promise<Result>;
export type Slot = 'short' | 'launch';

/**
 * Returns what does the work about something with connections of its workspace's share, and a decision within
 * that of the slots, too, which it holds also while it waits for a connection. While nobody can tell the
 * workspace it has no share: what stops a workload does so without a database. A `short` activity is one that
 * is tried until it works, a `launch` one a step of a launch that takes milliseconds.
 */
export function createConnectionsForWorkspaces({
  db,
  connectionsOfWorkspace: connections,
}: Pick<ActivityDependencies, 'db' | 'connectionsOfWorkspace'>): ForItsWorkspace {
  const workspaceOf = createWorkspaceOf(db);
  return async (kind, id, work, slot) => {
    const key = await workspaceOf(kind, id).catch(() => null);
    if (key === null) {
      return onBehalfOf(null, work);
    }
    const ofIts = () => onBehalfOf({ key, connections }, work);
    if (decided.has(kind)) {
      return inDecisionShare(key, ofIts);
    }
    if (slot === 'launch') {
      const { isLocal } = Context.current().info;
      return inLaunchShare({ workspaceId: key, isLocal }, ofIts);
    }
    return slot === 'short' ? inShortShare(key, ofIts) : ofIts();
  };
}
