import { readFileSync } from 'node:fs';

/**
 * Processor time of this process and of those that it waited for, in milliseconds; where there is no
 * /proc, of this process alone.
 */
export function processorMs() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    // utime, stime, cutime and cstime, in hundredths of a second.
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * 10;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
