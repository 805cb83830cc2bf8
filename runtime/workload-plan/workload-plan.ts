/**
 * What a session runs as, wherever it runs: which containers, with which program, variables, sockets, mounts
 * and network. `plan-workload.ts` decides it; the drivers translate it into processes, create requests or a
 * Pod. No secret and nothing of a machine, an engine or a cluster is in it.
 */
import type { AcpPreset } from '../../contract/acp-preset.ts';
import type { ModelProgramConfig } from '../../contract/model-program.ts';
import type { BridgeConfig } from '../../contract/remote-server.ts';
import type { SessionDescription } from '../render-boot.ts';
import type { ConfiguredEnv, Recipient } from '../variables.ts';
import type { Network, ResolvedEnv } from '../workload.ts';

/**
 * Where things are inside the containers, and inside the sandboxes of processes (docs/sidecar.md#sockets).
 * Each sees its own part of the session's directory, at the same paths.
 */
export const containerPaths = {
  /** Starts each program, and leads the agent to its servers. */
  relay: '/opt/platform/bin/relay',
  relayDirectory: '/opt/platform/bin',
  /** The whole directory, in a container of the sidecar alone. */
  session: '/run/platform-session',
  /** The sidecar's boot file, there as well. */
  bootDirectory: '/run/platform-boot',
  bootFile: '/run/platform-boot/boot.json',
  /** What the agent sees. */
  platform: '/run/platform',
  mcp: '/run/platform/mcp',
  /** What the model container sees. */
  model: '/run/platform/model',
  /** Report socket of an agent or sibling; a server's is next to its own socket. */
  report: '/run/platform-report',
  workspace: '/workspace',
  temporary: '/tmp',
} as const;

/**
 * In the directory of the one container that may reach a private host: where the session's host forwards to
 * that, in a runtime whose containers do not reach it themselves.
 */
export const hostSocketName = '.host.sock';

/** A directory of the session, read-only, as one container sees it. */
export interface ContainerView {
  directory: string;
  path: string;
}

export type PlannedProgram =
  | { type: 'scripted' }
  | { type: 'claude' }
  /** `command`: of `custom`, with its arguments. */
  | { type: 'acp'; preset: AcpPreset; command: string[] }
  | { type: 'command'; command: string; args: string[] }
  | {
      type: 'image';
      /** With a digest. */
      reference: string;
      /** The server whose registry credentials it needs; null for none. */
      credentialsOf: string | null;
      command: string[];
      /** What it declares as volumes beside the directories that each container has for itself. */
      volumes: string[];
    }
  /** The bridge to a remote server. */
  | { type: 'remote'; bridge: BridgeConfig }
  /** The program that asks a language model for the agent. */
  | { type: 'model'; config: ModelProgramConfig };

/** What the relay does beside a program, in its own arguments. */
export type RelayTask =
  /** Beside the agent: ports of its loopback that lead to siblings, and to its model. */
  | { type: 'agent'; siblings: string[]; model: string[] }
  /** In the agent's place a service, which is asked at a port of its loopback. */
  | { type: 'service'; port: number }
  /** A server's standard input and output are connected to this socket of its view. */
  | { type: 'server'; socket: string }
  | { type: 'sibling'; listens: boolean; options: string[] }
  | { type: 'model' };

export interface PlannedContainer extends Recipient {
  /** `agent`, `model`, `mcp-<server>` or `sibling-<name>`. */
  name: string;
  program: PlannedProgram;
  /** As configured; `variables.ts` adds the platform's. */
  env: ConfiguredEnv;
  /** User and group; each container has its own, none is root. */
  uid: number;
  network: Network;
  /** The one host with a private address that it reaches: scheme, host and port; null for none. */
  privateOrigin: string | null;
  /** Its sockets, which it may only connect to. */
  view: ContainerView;
  /** Where the end of its program is reported; null for the platform's own, which nobody asks about. */
  report: ContainerView | null;
  relay: RelayTask;
  /** Whose share of memory and processors it gets. */
  size: 'agent' | 'server';
}

export interface WorkloadPlan extends SessionDescription {
  /** The agent, then servers, siblings and the model. The sidecar is each runtime's own. */
  containers: PlannedContainer[];
  /** Of `modelVariables` and `siblingsEnvironment`, for the agent alone. */
  agentVariables: { model: ResolvedEnv | null; siblings: ResolvedEnv };
  /** What the sidecar makes before anything else starts, relative to the session's directory. */
  directories: string[];
  sockets: string[];
  /** The agent starts when the sidecar has made this one too, after siblings that it waits for. */
  start: { socket: string; siblingSeconds: number };
  /** The widest network that any container needs, for runtimes where they share one. */
  network: Network;
  /** `host:port` or `cidr:port`, as an admin opened them for the agent or a server. */
  egressAllow: string[];
  /** Of the session, as its agent limits it; null for the platform's own limit. */
  totalSeconds: number | null;
}
