import type { StartConfig } from '../config/start.ts';
import type { Runtime } from '../runtime/workload.ts';

/** What running sessions are found, looked at and stopped with. */
export type SessionsOfThisMachine = Pick<Runtime<never>, 'list' | 'inspect' | 'stop'>;

export interface StartOptions {
  config: StartConfig;
  /** The project: `dist/` and `runner/` are below it. */
  root: string;
  /** The `temporal` program; needed unless the configuration names a server. */
  temporalProgram: string | undefined;
  /** Opens the runtime whose workloads are kept in this directory. */
  openRuntime(sessionsDirectory: string): SessionsOfThisMachine;
  environment: Record<string, string | undefined>;
  /** One line for each thing that happened. */
  progress(line: string): void;
  /** Ends the start-up where it is; what was started is stopped again. */
  signal: AbortSignal;
}

/** What was started, to be stopped in reverse order. */
export type Undo = (() => Promise<void> | void)[];
