/** The state that the host records about its containers. */
import type { ContainerRecord, HostState } from '../host-state.ts';
import { sessionFiles } from '../layout.ts';
import { writeRecord } from '../write-record.ts';

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
