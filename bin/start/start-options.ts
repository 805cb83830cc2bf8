import type { StartConfig } from '../../config/start.ts';

export interface StartPlatformOptions {
  config: StartConfig;
  /** The project: `dist/` and `deploy/runner/` are below it. */
  root: string;
  /** The `temporal` program; needed unless the configuration names a server. */
  temporalProgram: string | undefined;
  environment: Record<string, string | undefined>;
  /** One line for each thing that happened. */
  progress(line: string): void;
  /** Aborts the start-up; what was started is stopped again. */
  signal: AbortSignal;
}

/** What was started, to be stopped in reverse order. */
export type Undo = (() => Promise<void> | void)[];
