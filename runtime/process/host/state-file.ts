/** What the host writes down about its containers, replaced in one step so that a reader never sees half of it. */
import { renameSync, writeFileSync } from 'node:fs';
import type { ContainerRecord, HostState } from '../host-protocol.ts';
import { sessionFiles } from '../layout.ts';

export interface StateFile {
  set(name: string, change: Partial<Omit<ContainerRecord, 'name'>>): void;
  /** Every container was started once. */
  started(): void;
  records(): readonly ContainerRecord[];
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
  const write = () => {
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
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
    records: () => state.containers,
  };
}
