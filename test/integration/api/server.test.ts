import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { listen } from '../../../api/server.ts';
import { upgradeOf } from '../../../api/upgrades.ts';

async function serve() {
  const requests = new EventEmitter();
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    if (ctx.path === '/stream') {
      const lines = new PassThrough();
      lines.write('first\n');
      ctx.body = lines;
      return;
    }
    requests.emit('arrived');
    await sleep(150);
    ctx.body = 'done';
  });
  const running = await listen(app, { host: '127.0.0.1', port: 0 });
  return { ...running, requests, url: `http://127.0.0.1:${running.port}` };
}

describe('closing the server', () => {
  it('finishes running requests and accepts no new one', async () => {
    const { url, requests, close } = await serve();
    const arrived = once(requests, 'arrived');
    const running = fetch(`${url}/slow`).then((answer) => answer.text());
    await arrived;
    const closed = close(5000);
    await expect(fetch(`${url}/new`)).rejects.toThrow();
    expect(await running).toBe('done');
    await closed;
  });

  it('cuts a stream that exceeds the time limit', async () => {
    const { url, close } = await serve();
    const stream = await fetch(`${url}/stream`);
    const read = stream.text();
    await Promise.all([close(200), expect(read).rejects.toThrow()]);
  });

  it('ends upgraded connections that exceed the time limit', async () => {
    const app = new Koa();
    app.use((ctx) => {
      const upgrade = upgradeOf(ctx.req);
      if (upgrade === null) {
        ctx.body = 'not upgraded';
        return;
      }
      ctx.respond = false;
      ctx.res.writeHead(101, { Connection: 'Upgrade', Upgrade: 'websocket' }).end();
    });
    const { port, server, close } = await listen(
      app,
      { host: '127.0.0.1', port: 0 },
      ({ url }) => url === '/ws',
    );
    expect(server).toMatchObject({ headersTimeout: 60_000, requestTimeout: 300_000 });
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const [answer, socket] = await once(request({ port, path: '/ws', headers }).end(), 'upgrade');
    expect(answer.statusCode).toBe(101);
    const [plain] = await once(request({ port, path: '/', headers, agent: false }).end(), 'response');
    expect(plain.statusCode).toBe(200);
    plain.resume();
    const closed = once(
      socket.on('error', () => undefined),
      'close',
    );
    await Promise.all([close(100), closed]);
  });

  it('answers an upgrade that is refused in full, however long the answer is', async () => {
    const app = new Koa();
    app.use((ctx) => {
      ctx.body = Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(64 * 1024, 'a')));
    });
    const { port, close } = await listen(app, { host: '127.0.0.1', port: 0 }, () => true);
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const [answer] = await once(request({ port, headers, agent: false }).end(), 'response');
    let bytes = 0;
    for await (const chunk of answer) {
      bytes += chunk.length;
    }
    expect(bytes).toBe(64 * 64 * 1024);
    await close(100);
  });

  it('reports that the port is in use', async () => {
    const first = await serve();
    await expect(listen(new Koa(), { host: '127.0.0.1', port: first.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await first.close(100);
  });
});
