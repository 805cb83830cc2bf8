import type { Cgroups } from './host/cgroups.ts';

const runsAsRoot = process.getuid?.() === 0;

/** What limits sandboxes on this machine, for whoever starts the platform. Without control groups the kernel counts no processes of root's. */
export function limitsSentence(cgroups: Cgroups | null, isRoot = runsAsRoot): string {
  return cgroups === null
    ? `limits of sandboxes: each process by itself (${isRoot ? 'memory' : 'memory, number'}) and a lower priority; control groups cannot be written here`
    : `limits of sandboxes: control groups, version ${cgroups.version} (memory, processor, number of processes)`;
}
