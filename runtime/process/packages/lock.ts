/**
 * A mutex among the workers of this machine. The kernel releases it when its holder
 * dies, however that happens.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PackagesError } from './errors.ts';

/**
 * Runs `work` while holding the lock of a file, which it creates. Throws the reason of `signal`
 * when aborted while waiting.
 */
export async function withLock<Result>(
  file: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  // It holds the lock until its input ends, which it does with this process at the latest.
  const holder = spawn('flock', ['--exclusive', file, 'sh', '-c', 'echo held; read end'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  holder.stdin.on('error', () => undefined);
  const exited = once(holder, 'exit').catch(() => undefined);
  const given = new AbortController();
  const waiting = AbortSignal.any([signal, given.signal]);
  try {
    await Promise.race([
      once(holder.stdout, 'data', { signal: waiting }),
      exited.then(() => {
        throw new PackagesError('the package cache cannot be locked: flock is missing on this machine');
      }),
    ]).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    return await work();
  } finally {
    given.abort();
    holder.stdin.end();
    holder.kill('SIGTERM');
  }
}
