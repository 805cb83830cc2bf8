import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const limitMs = 10_000;

/**
 * The path of the static relay among the built programs; null where it was not built, or this
 * machine's kernel does not run it.
 */
export function findStaticRelay(programsDirectory: string): string | null {
  const relay = join(programsDirectory, 'relay');
  // It runs nothing that it cannot narrow.
  const { status } = spawnSync(relay, ['run', '--', '/bin/sh', '-c', ':'], {
    env: {},
    stdio: 'ignore',
    timeout: limitMs,
  });
  return status === 0 ? relay : null;
}
