/** What another process costs. */
import { readFileSync } from 'node:fs';

/** How much memory a process holds. */
export const residentBytes = (pid: number): number => statusBytes(pid, 'VmRSS');

/** How much it has held at most. */
export const peakBytes = (pid: number): number => statusBytes(pid, 'VmHWM');

/** How long the processors have worked for it; ticks are hundredths of a second on Linux. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function statusBytes(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm');
  const [, kibibytes] = line.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kibibytes === undefined) {
    throw new Error(`the process ${pid} has ended`);
  }
  return Number(kibibytes) * 1024;
}
