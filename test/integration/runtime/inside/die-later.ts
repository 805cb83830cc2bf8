/**
 * For a worker that a test has killed: SIGKILL so long after now, whatever it is doing then. By a timer of its own, since another
 * process may be late on a busy machine, and find that the work was done.
 */
export function dieLater(afterMs: number): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), afterMs);
}
