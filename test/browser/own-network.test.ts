/** The browser of these tests keeps its network while other tests add and remove interfaces of this machine's. */
import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, openBrowser } from '../support/browser.ts';

const interfaceName = 'browsertest0';
const pictureTags = Array.from({ length: 50 }, (_, number) => `<img src="/${number}" alt="">`).join('');
const ip = (...args: string[]) => spawnSync('ip', args).status === 0;

describeInBrowser('the network of a browser', () => {
  let server: Server;
  let port: number;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    server = createServer((request, response) => {
      // Each is a connection of its own: Chromium aborts those that are being made.
      response.writeHead(200, { 'Content-Type': 'text/html', Connection: 'close' });
      const pictures = request.url === '/' ? pictureTags : '';
      response.end(`<title>${request.headers.host}</title>${pictures}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    browser = await openBrowser();
  });
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(async () => {
    await page.close();
  });
  afterAll(async () => {
    await browser?.close();
    ip('link', 'del', interfaceName);
    server?.close();
  });

  it('has this machine’s loopback by every name, and nothing else', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `label.localhost:${port}`]) {
      await page.goto(`http://${host}/`);
      expect(await page.title()).toBe(host);
      expect(await page.evaluate<boolean>('isSecureContext')).toBe(true);
    }
    await expect(page.goto('http://192.0.2.1/')).rejects.toThrow(/net::ERR_/);
    await expect(page.goto('http://127.0.0.1:9/')).rejects.toThrow(/net::ERR_/);
  });

  it('loads pages while interfaces come and go', async () => {
    const isChanged = () =>
      ip('link', 'add', interfaceName, 'type', 'veth') &&
      ip('addr', 'add', '198.51.100.1/24', 'dev', interfaceName) &&
      ip('link', 'set', interfaceName, 'up') &&
      ip('link', 'del', interfaceName);
    let changes = 0;
    const timer = setInterval(() => {
      changes += isChanged() ? 1 : 0;
    }, 50);
    const aborted: string[] = [];
    page.on('requestfailed', (request) => aborted.push(request.failure()?.errorText ?? ''));
    try {
      for (let loads = 0; loads < 15; loads += 1) {
        await page.goto(`http://127.0.0.1:${port}/`);
      }
    } finally {
      clearInterval(timer);
    }
    expect(aborted).toEqual([]);
    // Only root may change them; it is the machine of the whole suite.
    expect(changes > 0 || process.getuid?.() !== 0).toBe(true);
  });
});
