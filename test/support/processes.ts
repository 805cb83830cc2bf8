/** What runs on this machine, read from /proc. */
import { readdir, readFile } from 'node:fs/promises';

export interface RunningProcess {
  pid: number;
  commandLine: string;
}

/** Every process whose command line holds `text`. A process that ends while it is read is left out. */
export async function processesMentioning(text: string): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(
    pids.map(async (pid) => ({
      pid,
      commandLine: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    })),
  );
  return all
    .map(({ pid, commandLine }) => ({ pid, commandLine: commandLine.replaceAll('\0', ' ') }))
    .filter(({ pid, commandLine }) => commandLine.includes(text) && pid !== process.pid);
}

/** The environment that a process was started with, as text; empty when it cannot be read. */
export async function environmentOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
}
