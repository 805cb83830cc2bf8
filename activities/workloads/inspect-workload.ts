/**
 * Inspects a session's workload once: whether the session ends, and if not, when to
 * look again without a reason.
 */
import type { ActivityDependencies } from '../dependencies.ts';
import { announceEnded, confirmMs, endedBesideAgent } from './announce-ended.ts';
import {
  endOfSession,
  exitOf,
  isRestarting,
  sidecarRestartLimitMs,
  type WorkloadExit,
} from './workload-exit.ts';

export type WorkloadLook = {
  sessionId: string;
  /** For how long the containers that the last look named in `lasting` have been like that, by name. */
  lastingMs: Readonly<Record<string, number>>;
};

export interface WorkloadFindings {
  /** Null: the session goes on. */
  exit: WorkloadExit | null;
  /**
   * Containers in a state that counts only once it has lasted: a sidecar that
   * restarts, a companion that ended.
   */
  lasting: string[];
  /** When the next of them counts; null: look again only when something changes. */
  lookAgainInMs: number | null;
}

/** So that no rounding of times makes a busy loop. */
const shortestLookMs = 1000;

/**
 * Inspects this very launch: only what it returns ends a session, however it was informed of a change.
 * Announces companions that ended long enough ago. Idempotent.
 */
export async function inspectWorkload(
  dependencies: ActivityDependencies,
  { sessionId, lastingMs }: WorkloadLook,
): Promise<WorkloadFindings> {
  const removed = await endOfSession(dependencies, sessionId);
  if (removed !== null) {
    return ended(removed);
  }
  const state = await dependencies.runtime.inspect(sessionId);
  const forMs = (name: string) => lastingMs[name] ?? 0;
  const restarting = isRestarting(state) ? ['sidecar'] : [];
  const exit = exitOf(state, Math.max(0, ...restarting.map(forMs)));
  if (exit !== null) {
    return ended(exit);
  }
  const companions = endedBesideAgent(state);
  const isConfirmed = ({ name }: { name: string }) => forMs(name) >= confirmMs;
  await announceEnded(dependencies.db, sessionId, companions.filter(isConfirmed));
  const waits = [
    ...restarting.map((name) => sidecarRestartLimitMs - forMs(name)),
    ...companions.filter((each) => !isConfirmed(each)).map(({ name }) => confirmMs - forMs(name)),
  ];
  return {
    exit: null,
    lasting: [...restarting, ...companions.map(({ name }) => name)],
    lookAgainInMs: waits.length === 0 ? null : Math.max(shortestLookMs, Math.min(...waits)),
  };
}

const ended = (exit: WorkloadExit): WorkloadFindings => ({ exit, lasting: [], lookAgainInMs: null });
