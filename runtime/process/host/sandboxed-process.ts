/** The process id of a sandbox's program, as this machine sees it. */
import { readFileSync } from 'node:fs';

/** Bubblewrap starts the first process of the sandbox, which starts the program. Null while the program does not run. */
export function sandboxedProcess(bubblewrap: number): number | null {
  const init = firstChild(bubblewrap);
  return init === null ? null : firstChild(init);
}

function firstChild(pid: number): number | null {
  try {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return child === '' ? null : Number(child);
  } catch {
    return null;
  }
}
