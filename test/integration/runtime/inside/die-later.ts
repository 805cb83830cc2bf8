/**
 * For a worker that a test kills: sends itself SIGKILL after this time, whatever it is doing then. Uses its
 * own timer, since another process may be late on a busy machine, when the work is already done.
 */
export function dieLater(afterMs: number): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), afterMs);
}
