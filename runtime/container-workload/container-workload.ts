/**
 * The plan of a session's workload in terms of images, for a container engine or a cluster: no secret, and
 * nothing of the engine or the cluster in it.
 */
import type { UnkeyedBoot } from '../render-boot.ts';
import type { ContainerVariable } from '../variables.ts';
import type { ContainerRole, Network } from '../workload.ts';
import type { ContainerView } from '../workload-plan/workload-plan.ts';

/** Of the session's volume, beside those of `sessionDirectories`: the relay, for every container. */
export const relayDirectory = 'bin';

/** Users inside the containers: none is root, none is shared. The group lets each reach its sockets. */
export const containerUsers = { group: 10_000, sidecar: 10_001, agent: 20_000 } as const;

export interface ContainerImage {
  /** With a digest when it comes from a configuration. */
  reference: string;
  /** The server whose registry credentials it needs; null for none. */
  credentialsOf: string | null;
}

/** A private directory of the container: writable, initially empty. */
export interface ContainerScratch {
  /** Within the container. */
  name: string;
  path: string;
  sizeBytes: number;
}

export interface ContainerSize {
  memoryBytes: number;
  cpuMillis: number;
}

export interface ContainerSpec {
  /** `sidecar`, `agent`, `model`, `mcp-<server>` or `sibling-<name>`. */
  name: string;
  role: ContainerRole;
  /**
   * The server's or sibling's own name, by which its environment is found; null for sidecar, agent and model.
   */
  subject: string | null;
  image: ContainerImage;
  /** Starts with the relay, which is process 1. */
  argv: string[];
  env: ContainerVariable[];
  /** User and group. */
  uid: number;
  network: Network;
  /**
   * A host with a private address that the operator listed for this server alone: scheme, host
   * and port; null for none.
   */
  privateOrigin: string | null;
  views: ContainerView[];
  /** Nothing else is writable. */
  scratch: ContainerScratch[];
  /** Null: the image's own. */
  workingDirectory: string | null;
  size: ContainerSize;
}

export interface ContainerWorkload {
  sessionId: string;
  workspaceId: string;
  /** The session that a service preview belongs to; null for a session, and when it is not known. */
  ownerSessionId: string | null;
  boot: UnkeyedBoot;
  /** The sidecar first. */
  containers: ContainerSpec[];
  /** Directories that the session's volume has before anything but the sidecar starts. */
  directories: string[];
  /** The widest network that any container needs, for runtimes where they share one. */
  network: Network;
  /** `host:port` or `cidr:port`, as an admin opened them for the agent or a server. */
  egressAllow: string[];
  /** Max lifetime of the workload, even if its worker is lost. */
  lifetimeSeconds: number;
}
