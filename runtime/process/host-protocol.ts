/**
 * What the driver gives a session's host once, on standard input. Types only: both are of one release and one
 * machine, and the host of every session would hold the schemas in memory.
 */
import type { ProcessKind } from '../../contract/session-process.ts';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import type { Network } from '../workload.ts';

/** The sidecar's container name. */
export const sidecarName = 'sidecar';

/** What one container may use of this machine. */
export interface ContainerLimits {
  memoryBytes: number;
  /** Thousandths of one processor. */
  cpuMillis: number;
  /** Threads count as well. */
  processes: number;
  /** A tenth of a process of the platform when processors are short, or as much as one; absent: a tenth. */
  cpuShare?: 'tenth' | 'whole';
}

/** One container as a command. Holds secrets: it goes through pipes only. */
export interface ContainerLaunch {
  name: string;
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  /** Arguments for bubblewrap besides the environment; null runs the command without a sandbox. */
  sandbox: string[] | null;
  network: Network;
  limits: ContainerLimits;
  /**
   * The control groups to create and run in, without the last part of their names; with none, each process
   * is limited individually.
   */
  cgroups: string[];
}

/** What the host also knows of a container of a session. */
export interface HostedContainer extends ContainerLaunch {
  /** Null for the platform's own program, whose state nobody asks for. */
  kind: ProcessKind | null;
  /** Variables of `env` whose values are redacted. */
  secretVariables: string[];
  /** The socket where the sidecar takes reports on it, relative to the session's directory; null for none. */
  reportSocket: string | null;
  privateHost: PrivateHostLaunch | null;
  /** Where the agent's files are taken at its end; absent without a repository. */
  changes?: ChangesLaunch;
}

/** Relative to the session's directory. */
export interface ChangesLaunch {
  socket: string;
  file: string;
  maxBytes: number;
}

/** A host with a private address that one container reaches, through the host of its session. */
export interface PrivateHostLaunch {
  /** Where it listens; relative to the session's directory. */
  socket: string;
  /** Where it forwards to. */
  origin: string;
}

export interface HostLaunch {
  directory: string;
  boot: SidecarBoot;
  /** The host starts the containers once all of these exist. */
  sockets: string[];
  /**
   * The agent's program runs only when this exists as well: its siblings are ready then. Null:
   * it waits for nothing more.
   */
  agentSocket: string | null;
  containers: HostedContainer[];
}
