import type { Cgroups } from './host/cgroups.ts';

const runsAsRoot = process.getuid?.() === 0;

/**
 * Describes this machine's sandbox limits for the operator. Without control groups the kernel does
 * not count root's processes.
 */
export function limitsSentence(cgroups: Cgroups | null, isRoot = runsAsRoot): string {
  return cgroups === null
    ? `limits of sandboxes: each process by itself (${isRoot ? 'memory' : 'memory, number'}) and a lower priority; control groups cannot be written here`
    : `limits of sandboxes: control groups, version ${cgroups.version} (memory, processor, number of processes)`;
}
