import { execFileSync } from 'node:child_process';

/** The TCP ports that a process listens on at one address of this machine. */
export function listeningPortsOf(pid: number, address: string): number[] {
  return execFileSync('ss', ['-Hltnp'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`pid=${pid},`))
    .flatMap((line) => {
      const local = line.split(/\s+/)[3] ?? '';
      return local.startsWith(`${address}:`) ? [Number(local.slice(address.length + 1))] : [];
    });
}
