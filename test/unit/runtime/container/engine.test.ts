/** Faults that the engine's client must handle: partial answers, and concurrent requests. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { type Engine, openEngine } from '../../../../runtime/container/engine.ts';

let directory: string;
let server: Server;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-'));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

async function engineThat(answers: RequestListener): Promise<Engine> {
  const socketPath = join(directory, 'engine.sock');
  server = createServer(answers).listen(socketPath);
  await once(server, 'listening');
  return openEngine(socketPath);
}

it('an interrupted response is eventually an error, and does not block', async () => {
  const begun = new Promise<void>((resolve) => {
    void engineThat((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('[{"Id":');
      setImmediate(() => response.destroy());
      resolve();
    }).then((engine) => {
      listing = engine.listContainers('x=y');
      listing.catch(() => undefined);
    });
  });
  let listing: Promise<unknown> = Promise.resolve();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  try {
    await begun;
    await jest.advanceTimersByTimeAsync(90_000);
    await expect(listing).rejects.toThrow('did not answer within 90 seconds');
  } finally {
    jest.useRealTimers();
  }
});

it('a network is created once by two concurrent launches', async () => {
  let made = 0;
  const engine = await engineThat((request, response) => {
    if (request.method === 'POST') {
      made += 1;
      response.writeHead(201).end('{"Id":"1"}');
    } else {
      const [status, body] = made === 0 ? [404, '{"message":"no such network"}'] : [200, '{}'];
      setTimeout(() => response.writeHead(status as number).end(body), 50);
    }
  });
  const options = { internal: false, betweenContainers: false };
  await Promise.all([1, 2, 3].map(() => engine.ensureNetwork('internet', options)));
  expect(made).toBe(1);
});
