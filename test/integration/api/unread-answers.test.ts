/** Clients that do not read what is sent to them, at the server itself. */
import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { listen, type RunningServer } from '../../../api/server.ts';
import { upgradeOf } from '../../../api/upgrades.ts';
import { eventually } from '../../support/eventually.ts';

const unreadMs = 500;
/** More than the buffers of both ends of a connection hold. */
const largeBytes = 16 * 1024 * 1024;

let running: RunningServer;
let responses: ServerResponse[];
let upgraded: Socket[];
const open: Socket[] = [];

/** The connection's idle time passes while the handler works. */
const idle = (response: ServerResponse) => once(response.socket as Socket, 'timeout');

beforeEach(async () => {
  responses = [];
  upgraded = [];
  const app = new Koa();
  app.silent = true;
  app.on('error', () => undefined);
  app.use(async (ctx) => {
    responses.push(ctx.res);
    const upgrade = upgradeOf(ctx.req);
    if (upgrade !== null) {
      upgraded.push(upgrade.socket as Socket);
      ctx.respond = false;
      ctx.res.writeHead(101, { Connection: 'Upgrade', Upgrade: 'websocket' }).end();
      return;
    }
    switch (ctx.path) {
      case '/large':
        ctx.body = Buffer.alloc(largeBytes);
        return;
      case '/stream':
        ctx.body = Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(largeBytes / 64)));
        return;
      case '/tab': {
        const events = new PassThrough();
        events.write('first');
        ctx.body = events;
        await idle(ctx.res).then(() => events.write('second'));
        return;
      }
      default:
        await idle(ctx.res);
        ctx.body = 'late';
    }
  });
  running = await listen(app, { host: '127.0.0.1', port: 0, unreadMs }, () => true);
});
afterEach(async () => {
  for (const socket of open.splice(0)) {
    socket.destroy();
  }
  await running.close(0);
});

/** A connection that asks and reads nothing. */
function unread(path: string, more = ''): Socket {
  const socket = connect(running.port, '127.0.0.1').on('error', () => undefined);
  open.push(socket);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`);
  return socket;
}

describe('a client that reads nothing for a while', () => {
  it.each(['/large', '/stream'])('of %s is disconnected', async (path) => {
    const socket = unread(path);
    await eventually(() => expect(responses).toHaveLength(1));
    await eventually(() => expect(responses[0]?.closed).toBe(true));
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    await new Promise<void>((resolve) => socket.once('close', () => resolve()).resume());
    expect(bytes).toBeLessThan(largeBytes);
  });

  it('of what a WebSocket sends is disconnected', async () => {
    unread('/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n');
    await eventually(() => expect(upgraded).toHaveLength(1));
    upgraded[0]?.write(Buffer.alloc(largeBytes));
    await eventually(() => expect(upgraded[0]?.destroyed).toBe(true));
  });
});

describe('a client stays connected', () => {
  it('that reads slowly, until it has all', async () => {
    const socket = unread('/large');
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      socket.pause();
    });
    const reading = setInterval(() => socket.resume(), 2);
    await eventually(() => expect(responses).toHaveLength(1));
    await eventually(() => expect(bytes).toBeGreaterThan(largeBytes));
    clearInterval(reading);
  });

  it('while its answer is made, however long that takes', async () => {
    const [answer] = await once(
      request({ port: running.port, path: '/late', agent: false }).end(),
      'response',
    );
    expect(String(await answer.toArray())).toBe('late');
  });

  it('of an event stream in which nothing happens', async () => {
    const [answer] = await once(
      request({ port: running.port, path: '/tab', agent: false }).end(),
      'response',
    );
    let got = '';
    answer.on('data', (chunk: Buffer) => {
      got += String(chunk);
    });
    await eventually(() => expect(got).toBe('firstsecond'));
    answer.destroy();
  });

  it('of a WebSocket on which nothing is sent', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const [, client] = await once(request({ port: running.port, headers }).end(), 'upgrade');
    await once(upgraded[0] as Socket, 'timeout');
    upgraded[0]?.write('here');
    const [got] = await once(client, 'data');
    expect(String(got)).toBe('here');
    client.destroy();
  });
});
