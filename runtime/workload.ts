/**
 * The workload interface: what a session runs as, and what a runtime does with it. `render` is pure;
 * everything else is idempotent by session id. What all runtimes do alike is in `create-runtime.ts`.
 */

import type { FrozenConfiguration } from '../contract/session.ts';
import type { SidecarBoot } from '../contract/sidecar.ts';
import type { CallRecord, RefusedCallCount } from '../contract/tool-call.ts';

export type Network = 'none' | 'internet';

/**
 * Siblings are companions of the agent, which reaches them by sockets of the sidecar. `model`: the platform's
 * own program, which asks a language model for it.
 */
export type ContainerRole = 'sidecar' | 'agent' | 'server' | 'sibling' | 'model';

/**
 * Environment of one container, with secrets resolved. It exists only between the resolver
 * and the driver's `start`.
 */
export type ResolvedEnv = Readonly<Record<string, string>>;

/** Everything that `start` needs beside the frozen configuration. Never stored, never logged. */
export interface LaunchSecrets {
  agentEnv: ResolvedEnv;
  /** By server name. */
  serverEnv: Readonly<Record<string, ResolvedEnv>>;
  /** By companion name. */
  siblingEnv: Readonly<Record<string, ResolvedEnv>>;
  /** Of the agent's model access, for the model container alone; absent without it. */
  modelKey?: string | undefined;
  /** Of the agent's repository, for the sandbox that fetches it alone; absent without one. */
  repositoryCredential?: string | undefined;
  /** `user:password` for the registry of a server's image, by server name. */
  registryCredentials: Readonly<Record<string, string>>;
  /** The sidecar's own token and key. */
  sidecar: Pick<SidecarBoot, 'internal_token' | 'control_key'>;
}

/**
 * Stores calls, and counts of refused ones, that a session's sidecar recorded and could not report.
 * Idempotent per record. When it throws, the records stay where they are.
 */
export type TakeLeftCalls = (
  sessionId: string,
  calls: readonly CallRecord[],
  counts: readonly RefusedCallCount[],
) => Promise<void>;

/**
 * Keeps the patch of a session that has ended, or says to people why there is none. Idempotent per session.
 * When it throws, the session's files stay where they are.
 */
export type TakePatch = (sessionId: string, made: MadePatch) => Promise<void>;

/** An empty patch: nothing differs. A problem is a part of a sentence for people. */
export type MadePatch = { patch: Buffer } | { problem: string };

/** `waiting`: not started yet. `restarting`: the sidecar was lost and is being started again. */
export type ContainerState =
  | { name: string; state: 'waiting' | 'running' | 'restarting' }
  | {
      name: string;
      state: 'exited';
      exitCode: number | null;
      signal: string | null;
      /** A sentence about an involuntary end, such as too much memory; never its output. */
      reason?: string;
    };

/** `absent`: no such workload here. `lost`: it was here and its supervisor died. */
export type WorkloadState =
  | { state: 'absent' }
  | { state: 'lost'; reason: string }
  | { state: 'running'; containers: ContainerState[] };

/** A configuration that this driver cannot run, as a sentence for the operator. */
export class UnsupportedWorkloadError extends Error {
  override name = 'UnsupportedWorkloadError';
}

/**
 * A workload that cannot start, not even on a retry: a sentence for the operator that holds no secret value.
 */
export class WorkloadFailedError extends Error {
  override name = 'WorkloadFailedError';
}

/**
 * Called when the packages of an MCP server are not there yet, or the agent's repository is fetched, so that
 * the start takes as long as loading them.
 */
export type OnStartDelay = (
  delay: { server: string; packages: readonly string[] } | { repository: string; from: string; ref: string },
) => void;

export interface Runtime<Spec> {
  readonly name: 'process' | 'container' | 'kubernetes';
  /**
   * Pure: configuration in, full description of the workload out, without any secret. Throws
   * UnsupportedWorkloadError.
   */
  render(configuration: FrozenConfiguration): Spec;
  /**
   * Starts the workload and returns when every container was started; a no-op when it already runs. Throws
   * WorkloadFailedError for permanent failures, and gives up when `signal` is aborted. `onDelay` is called
   * for what it has to wait for.
   */
  start(spec: Spec, secrets: LaunchSecrets, signal?: AbortSignal, onDelay?: OnStartDelay): Promise<void>;
  inspect(sessionId: string): Promise<WorkloadState>;
  /**
   * Calls back with a session's id when its workload may have changed, until the returned function is called.
   * These are hints: they may be late, repeated, about sessions that are not there, or missing for a while,
   * after which all sessions are named. Does not keep the process alive.
   */
  watch(onChange: (sessionId: string) => void): () => void;
  /** The IPv4 address of the control port of the session's sidecar; null while there is none. */
  sidecarHost(sessionId: string): Promise<string | null>;
  /**
   * The last `tailBytes` of one container's output (stderr, and stdout where it is not the protocol). It may
   * hold server-internal data: the platform never shows it, and on a cluster the worker may not read it.
   */
  logs(sessionId: string, container: string, tailBytes: number): Promise<string>;
  /**
   * Of what the agent of a running session has changed in its repository so far. Absent where sessions have
   * no repositories. Throws for a fault of the worker, or the reason of `signal`.
   */
  makePatch?(sessionId: string, signal: AbortSignal): Promise<MadePatch>;
  /**
   * Stops everything of the session, hands over the rest of its audit spool, and cleans up. Idempotent.
   * Throws when something does not end or is not accepted, or `signal` is aborted before a repository's patch
   * is made; then it can be retried.
   */
  stop(sessionId: string, signal?: AbortSignal): Promise<void>;
  /** Session ids of every workload on this runtime, so that orphans can be found. */
  list(): Promise<string[]>;
}
