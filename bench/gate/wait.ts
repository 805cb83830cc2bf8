/** Waits for a started program to be ready. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const startLimitMs = 20_000;

export async function firstLineOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) {
    throw new Error('it has no output');
  }
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line');
  return String(line);
}

/** Waits until `isThere` returns true. Throws after a time limit, naming `what`. */
export async function until(what: string, isThere: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (!(await isThere())) {
    if (performance.now() > deadline) {
      throw new Error(`${what} did not start`);
    }
    await sleep(20);
  }
}

export const untilSocket = (path: string) => until(path, () => existsSync(path));

export const untilPort = (port: number) =>
  until(
    `port ${port}`,
    () =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1');
        const settle = (isOpen: boolean) => {
          socket.destroy();
          resolve(isOpen);
        };
        socket.once('connect', () => settle(true)).once('error', () => settle(false));
      }),
  );

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
