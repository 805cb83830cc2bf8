/** What a workload's state, and its session's row, mean for the session. */
import { originIn } from '../../config/public-url.ts';
import type { ContainerState, WorkloadState } from '../../runtime/workload.ts';
import { readApiUrl } from '../../store/sessions/sessions.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export type WorkloadExit =
  | { kind: 'agent_exited'; exitCode: number | null; signal: string | null; reason?: string }
  | { kind: 'workload_lost'; reason: string }
  | { kind: 'sidecar_lost'; reason?: string }
  | { kind: 'session_removed' };

/** A sidecar that does not come back within this time is lost. */
export const sidecarRestartLimitMs = 30_000;

/**
 * A sidecar gets the API's address once. When the platform is restarted at another address, a surviving
 * session calls an address where nobody, or somebody else, answers: every gated call is refused, and it
 * cannot continue. Null for a session that may continue.
 */
export async function endOfSession(
  { db, internalApiUrl }: ActivityDependencies,
  sessionId: string,
): Promise<WorkloadExit | null> {
  const found = await readApiUrl(db, sessionId);
  if (found === null) {
    return { kind: 'session_removed' };
  }
  return found.apiUrl === null || isSameApi(found.apiUrl, internalApiUrl)
    ? null
    : {
        kind: 'workload_lost',
        reason: `it reports to ${found.apiUrl}, and the API is at ${internalApiUrl} now; start a new session`,
      };
}

/**
 * Whether a sidecar that was given one address reaches the API at the other, however each is written. It asks
 * below the origin, whatever the path is.
 */
export const isSameApi = (one: string, other: string): boolean => originOf(one) === originOf(other);

function originOf(address: string): string {
  const origin = URL.canParse(address) ? new URL(address).origin : address;
  return originIn(origin) ?? address;
}

/**
 * What a workload's state means for its session; null while it continues. A lost sidecar takes precedence:
 * the host then ends the agent itself, which must not be reported as the agent's own exit.
 */
export function exitOf(state: WorkloadState, restartingForMs: number): WorkloadExit | null {
  if (state.state === 'absent') {
    return { kind: 'workload_lost', reason: 'it is no longer on this runtime' };
  }
  if (state.state === 'lost') {
    return { kind: 'workload_lost', reason: state.reason };
  }
  const sidecar = container(state, 'sidecar');
  if (sidecar?.state === 'exited') {
    return { kind: 'sidecar_lost', ...reasonOf(sidecar) };
  }
  if (restartingForMs > sidecarRestartLimitMs) {
    return { kind: 'sidecar_lost' };
  }
  const agent = container(state, 'agent');
  return agent?.state === 'exited'
    ? { kind: 'agent_exited', exitCode: agent.exitCode, signal: agent.signal, ...reasonOf(agent) }
    : null;
}

const reasonOf = ({ reason }: { reason?: string }) => (reason === undefined ? {} : { reason });

/** Whether the sidecar was lost and is being started again. */
export function isRestarting(state: WorkloadState): boolean {
  return container(state, 'sidecar')?.state === 'restarting';
}

function container(state: WorkloadState, name: string): ContainerState | undefined {
  return state.state === 'running' ? state.containers.find((each) => each.name === name) : undefined;
}
