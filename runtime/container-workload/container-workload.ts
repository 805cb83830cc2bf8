/** What a session runs as on a container engine or a cluster: no secret, and nothing of the engine or the cluster in it. */
import type { UnkeyedBoot } from '../render-boot.ts';
import type { ContainerVariable } from '../variables.ts';
import type { ContainerRole, Network } from '../workload.ts';

/**
 * Where things are inside the containers. Each sees its own part of the session's volume, at the same paths
 * (docs/sidecar.md#sockets).
 */
export const containerPaths = {
  /** The static relay, in every container. */
  relay: '/opt/platform/bin/relay',
  relayDirectory: '/opt/platform/bin',
  /** The whole volume, in the sidecar alone. */
  session: '/run/platform-session',
  /** The sidecar's boot file, in the sidecar alone. */
  bootDirectory: '/run/platform-boot',
  bootFile: '/run/platform-boot/boot.json',
  /** What the agent sees. */
  platform: '/run/platform',
  mcp: '/run/platform/mcp',
  /** What the model container sees. */
  model: '/run/platform/model',
  /** Report socket of process 1 of an agent or sibling; a server's is next to its own socket. */
  report: '/run/platform-report',
  workspace: '/workspace',
  temporary: '/tmp',
} as const;

/** Directories of the session's volume, by who sees them. */
export const volumeDirectories = {
  relay: 'bin',
  agent: 'agent',
  server: (name: string) => `servers/${name}`,
  model: 'model',
  /** Of an agent or sibling, by the name of its container. */
  report: (container: string) => `reports/${container}`,
} as const;

/** Users inside the containers: none is root, none is shared. The group lets each reach its sockets. */
export const containerUsers = { group: 10_000, sidecar: 10_001, agent: 20_000, firstOther: 20_001 } as const;

export interface ContainerImage {
  /** With a digest when it comes from a configuration. */
  reference: string;
  /** The server whose registry credentials it needs; null for none. */
  credentialsOf: string | null;
}

/** A directory of the session's volume, read-only. */
export interface ContainerView {
  directory: string;
  path: string;
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
  /** The server's or sibling's own name, by which its environment is found; null for sidecar, agent and model. */
  subject: string | null;
  image: ContainerImage;
  /** Starts with the relay, which is process 1. */
  argv: string[];
  env: ContainerVariable[];
  /** User and group. */
  uid: number;
  network: Network;
  /** A host with a private address that the operator listed for this server alone: scheme, host and port; null for none. */
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
