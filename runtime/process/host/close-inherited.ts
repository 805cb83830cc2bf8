/** Files that whoever started the platform left open: they would go on into every sandbox. */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/** Closes what this process was handed beside its standard streams. Linux only. */
export function closeInherited(): void {
  if (process.platform !== 'linux') {
    return;
  }
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    if (fd > 2 && isInherited(fd)) {
      closeSync(fd);
    }
  }
}

/** Node opens its own files so that they end with an exec; what stays open across one came from outside. */
function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false;
  }
}
