/** What a session's host records of its containers in its directory, for the driver. */
import * as z from 'zod';
import { sessionFiles } from './layout.ts';
import { writeRecord } from './write-record.ts';

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

export interface StateFile {
  set(name: string, change: Partial<Omit<ContainerRecord, 'name'>>): void;
  /** Every container was started once. */
  started(): void;
}

export function createStateFile(directory: string, names: readonly string[]): StateFile {
  const file = sessionFiles(directory).state;
  const state: HostState = {
    started: false,
    containers: names.map((name) => ({
      name,
      state: 'waiting',
      exitCode: null,
      signal: null,
      process: null,
    })),
  };
  const write = () => writeRecord(file, state);
  write();
  return {
    set(name, change) {
      state.containers = state.containers.map((each) => (each.name === name ? { ...each, ...change } : each));
      write();
    },
    started() {
      state.started = true;
      write();
    },
  };
}
