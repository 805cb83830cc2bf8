/** What the system says about a process. Linux only; NaN elsewhere and for a process that has exited. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of Linux in which it counts the time of processes that have exited. */
const tickMs = 10;

/**
 * Processor time so far of the process, all its threads, and of the processes that it started when
 * `withChildren`, also of those that have exited.
 */
export function cpuMs(pid: number, withChildren: boolean): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const own = threads.map((thread) => {
      const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      return Number(ns) / 1e6;
    });
    const children = withChildren ? childrenOf(pid).map((child) => cpuMs(child, true)) : [];
    return sum([...own, ...children, withChildren ? exitedChildrenMs(pid) : 0]);
  } catch {
    return Number.NaN;
  }
}

/** Fields 16 and 17 of the process's status, after its name, which may hold anything. */
function exitedChildrenMs(pid: number): number {
  const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}

/** Of all its threads. Throws when the process has exited. */
export const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

export interface Memory {
  /** Resident. */
  rssBytes: number;
  /** The same with each shared page counted in proportion. */
  pssBytes: number;
}

export function memoryOf(pid: number): Memory {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
    return { rssBytes: read('Rss'), pssBytes: read('Pss') };
  } catch {
    return { rssBytes: Number.NaN, pssBytes: Number.NaN };
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
