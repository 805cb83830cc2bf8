import { readFileSync } from 'node:fs';

/** How much memory a process holds. */
export function residentBytes(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}
