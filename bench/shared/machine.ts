import { availableParallelism, cpus, loadavg } from 'node:os';

/** What the figures were measured on, and what else it had to do. */
export function machineLine(): string {
  const load = loadavg().map((value) => value.toFixed(1));
  return `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model ?? process.arch}), load ${load.join(' ')}`;
}
