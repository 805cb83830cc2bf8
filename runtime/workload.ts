/**
 * The workload interface (design 12): what a session runs as, and the four things a driver does with it.
 * `render` is pure; everything else is idempotent by session id.
 */

import type { FrozenConfiguration } from '../contract/session.ts';
import type { SidecarBoot } from '../contract/sidecar.ts';
import type { CallRecord } from '../contract/tool-call.ts';

/** Environment of one container, with secrets resolved. It exists only between the resolver and the driver's `start`. */
export type ResolvedEnv = Readonly<Record<string, string>>;

/** Everything that `start` needs beside the frozen configuration. Never stored, never logged. */
export interface LaunchSecrets {
  agentEnv: ResolvedEnv;
  /** By server name. */
  serverEnv: Readonly<Record<string, ResolvedEnv>>;
  /** By companion name. */
  siblingEnv: Readonly<Record<string, ResolvedEnv>>;
  /** The sidecar's own token and key. */
  sidecar: Pick<SidecarBoot, 'internal_token' | 'control_key'>;
}

/**
 * Stores calls that a session's sidecar put on record and could not report any more. Handing one over twice is harmless.
 * When it throws, the records stay where they are.
 */
export type TakeLeftCalls = (sessionId: string, calls: readonly CallRecord[]) => Promise<void>;

/** `waiting`: not started yet. `restarting`: the sidecar was lost and is being started again. */
export type ContainerState =
  | { name: string; state: 'waiting' | 'running' | 'restarting' }
  | { name: string; state: 'exited'; exitCode: number | null; signal: string | null };

/** `absent`: no such workload here. `lost`: it was here and its supervisor is gone. */
export type WorkloadState =
  | { state: 'absent' }
  | { state: 'lost'; reason: string }
  | { state: 'running'; containers: ContainerState[] };

/** A configuration that this driver cannot run, as a sentence for the operator. */
export class UnsupportedWorkloadError extends Error {
  override name = 'UnsupportedWorkloadError';
}

export interface Runtime<Spec> {
  readonly name: 'process' | 'container' | 'kubernetes';
  /** Pure: configuration in, full description of the workload out, without any secret. Throws UnsupportedWorkloadError. */
  render(configuration: FrozenConfiguration): Spec;
  /** Starts the workload, or does nothing when it already runs. */
  start(spec: Spec, secrets: LaunchSecrets): Promise<void>;
  inspect(sessionId: string): Promise<WorkloadState>;
  /** The last `tailBytes` of one container's output (stderr, and stdout where it is not the protocol). */
  logs(sessionId: string, container: string, tailBytes: number): Promise<string>;
  /**
   * Stops everything of the session, hands over what its audit spool still holds, and removes what it left. Harmless when
   * nothing is there. Throws when something does not end or is not taken; then it can be called again.
   */
  stop(sessionId: string): Promise<void>;
  /** Session ids of every workload on this runtime, so that orphans can be found. */
  list(): Promise<string[]>;
}
