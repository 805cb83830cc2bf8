/** The process id of a sandbox's program, as this machine sees it. */
import { readFileSync } from 'node:fs';

/**
 * Bubblewrap starts the first process of the sandbox, which is the program or starts it. Null while
 * the program does not run.
 */
export function sandboxedProcess(bubblewrap: number, sandbox: readonly string[]): number | null {
  const first = firstChild(bubblewrap);
  return first === null || sandbox.includes('--as-pid-1') ? first : firstChild(first);
}

function firstChild(pid: number): number | null {
  try {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return child === '' ? null : Number(child);
  } catch {
    return null;
  }
}
