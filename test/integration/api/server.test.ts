import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { listen } from '../../../api/server.ts';

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
    const began = performance.now();
    const read = stream.text();
    await Promise.all([close(200), expect(read).rejects.toThrow()]);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('reports that the port is in use', async () => {
    const first = await serve();
    await expect(listen(new Koa(), { host: '127.0.0.1', port: first.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await first.close(100);
  });
});
