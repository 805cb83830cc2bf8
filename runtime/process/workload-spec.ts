/** What a session runs as on this runtime, without any secret and without any path of the machine. */
import type { ModelProgramConfig } from '../../contract/model-program.ts';
import type { BridgeConfig } from '../../contract/remote-server.ts';
import type { SessionDescription } from '../render-boot.ts';
import type { SiblingSettings } from '../siblings.ts';
import type { Network } from '../workload.ts';

export type ContainerProgram =
  | { type: 'scripted' }
  | { type: 'claude' }
  | { type: 'command'; command: string; args: string[] }
  /** The bridge to a remote server. `privateOrigin` is what it may reach beside the internet, through the session's host. */
  | { type: 'remote'; bridge: BridgeConfig; privateOrigin: string | null }
  /** The same of the program that asks a language model for the agent. */
  | { type: 'model'; config: ModelProgramConfig; privateOrigin: string | null };

export interface ProcessContainerSpec {
  /** `agent`, `model`, `mcp-<server>` or `sibling-<name>`. */
  name: string;
  /** The server in this container; null for the others. */
  server: string | null;
  /** The sibling in this container; null for any other. */
  sibling: SiblingSettings | null;
  program: ContainerProgram;
  network: Network;
  /** The variables of its environment that hold secrets. */
  secretVariables: string[];
  /** User and group inside the sandbox; each container has its own, none is root. */
  uid: number;
}

export interface ProcessWorkloadSpec extends SessionDescription {
  containers: ProcessContainerSpec[];
}
