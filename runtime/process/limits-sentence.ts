import type { Cgroups } from './host/cgroups.ts';

/** What limits sandboxes on this machine, for whoever starts the platform. */
export function limitsSentence(cgroups: Cgroups | null): string {
  return cgroups === null
    ? 'limits of sandboxes: each process by itself (memory, number) and a lower priority; control groups cannot be written here'
    : `limits of sandboxes: control groups, version ${cgroups.version} (memory, processor, number of processes)`;
}
