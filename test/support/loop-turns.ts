import { setImmediate as turn } from 'node:timers/promises';

/**
 * Lets the event loop turn so often that whatever this process has begun by itself, without time or
 * another process, has been done.
 */
export async function loopTurns(count = 100): Promise<void> {
  for (let turned = 0; turned < count; turned += 1) {
    await turn();
  }
}
