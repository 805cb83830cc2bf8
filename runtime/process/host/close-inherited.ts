/** Inherited file descriptors: every sandbox would inherit them too. */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/** Closes all inherited descriptors but the standard streams. Linux only. */
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

/** Node opens its own files close-on-exec; what stays open across an exec was inherited. */
function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false;
  }
}
