/** Between the driver and a session's host: the launch it gets once, on standard input, and the state it records. */
import { z } from 'zod';
import { processKind } from '../../contract/session-process.ts';
import { sidecarBoot } from '../../contract/sidecar.ts';

/** The sidecar's container name. */
export const sidecarName = 'sidecar';

/** What one container may use of this machine. */
export const containerLimits = z.strictObject({
  memoryBytes: z.int().positive(),
  /** Thousandths of one processor. */
  cpuMillis: z.int().positive(),
  /** Threads count as well. */
  processes: z.int().positive(),
});
export type ContainerLimits = z.infer<typeof containerLimits>;

/** One container as a command. Holds secrets: it goes through pipes only. */
export const containerLaunch = z.strictObject({
  name: z.string(),
  argv: z.array(z.string()).min(1),
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  /** Arguments for bubblewrap besides the environment; null runs the command without a sandbox. */
  sandbox: z.array(z.string()).nullable(),
  network: z.enum(['none', 'internet']),
  limits: containerLimits,
  /** The control groups to create and run in, without the last part of their names; with none, each process is limited individually. */
  cgroups: z.array(z.string()),
});
export type ContainerLaunch = z.infer<typeof containerLaunch>;

/** What the host also knows of a container of a session. */
const hostedContainer = containerLaunch.extend({
  kind: processKind,
  /** Variables of `env` whose values are redacted. */
  secretVariables: z.array(z.string()),
  /** The socket where the sidecar takes reports on it; relative to the session's directory. */
  reportSocket: z.string(),
});
export type HostedContainer = z.infer<typeof hostedContainer>;

export const hostLaunch = z.strictObject({
  directory: z.string(),
  sidecar: z.strictObject({ argv: z.array(z.string()).min(1), boot: sidecarBoot }),
  /** The host starts the containers once all of these exist. */
  sockets: z.array(z.string()),
  containers: z.array(hostedContainer),
});
export type HostLaunch = z.infer<typeof hostLaunch>;

/** Distinguishes a process from a later one with the same id. */
export const processIdentity = z.strictObject({ pid: z.int(), startedAt: z.string() });

export const containerRecord = z.strictObject({
  name: z.string(),
  state: z.enum(['waiting', 'running', 'restarting', 'exited']),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  process: processIdentity.nullable(),
});
export type ContainerRecord = z.infer<typeof containerRecord>;

/** `state.json`, replaced as a whole with each change. */
export const hostState = z.strictObject({ started: z.boolean(), containers: z.array(containerRecord) });
export type HostState = z.infer<typeof hostState>;
