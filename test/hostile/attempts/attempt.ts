/**
 * What an attempt is: one program, run by the agent, by the malicious server, and on the
 * machine itself as its control.
 */
import type { Kit } from '../inside/kit.ts';

export type Who = 'agent' | 'server';

/** What the attacker is given: more than a real one could find out. The control gets targets of its own. */
export interface Target {
  /** A directory with `mcp/<name>.sock`, `agent/sidecar.sock` and `agent/config.json`. */
  sockets: string;
  /** A socket that the container may connect to. */
  ownSocket: string;
  /** The name of an abstract socket with a listener. */
  abstractSocket: string;
  /** A directory that is writable. */
  workspace: string;
  platform: { dataDirectory: string; projectDirectory: string };
  /** Name to port, on the loopback address of the machine; each has a listener. */
  ports: Record<string, number>;
  /** The machine's addresses beside the loopback one. */
  addresses: string[];
  /** Another session that runs, and what belongs to it. */
  otherSession: { id: string; directory: string; token: string };
  ownSession: { directory: string };
  /** A process of the platform, by its pid on the machine. */
  platformPid: number;
  arch: string;
}

/** A function that is sent as text, so it uses its arguments only; or a text. */
export type Program = string | ((kit: Kit, target: Target) => unknown);

export interface Attempt {
  /** The attempt, as a sentence without its subject. */
  what: string;
  /** What stops it. */
  stoppedBy: string;
  run: Program;
  /** What the attempt must see in a sandbox: the reason why it fails. */
  inside: unknown;
  /** Where the server must see something else. */
  insideServer?: unknown;
  /**
   * The control: what the same program sees where nothing stops it. Then it runs on the machine itself, so it
   * has to be harmless: an attempt that changes something has none, or shows in itself that it can.
   */
  outside?: unknown;
}
