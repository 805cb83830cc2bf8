/**
 * The browser of these tests keeps its network while other tests add and remove interfaces of this machine's.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { createBrowserNetwork } from '../support/browser-network.ts';

const interfaceName = 'browsertest0';
const pictureTags = Array.from({ length: 50 }, (_, number) => `<img src="/${number}" alt="">`).join('');
/**
 * In a process of its own: this one serves the pages, and carries the browser's connections. Ends when it
 * may not change anything.
 */
const comeAndGo = `
name=${interfaceName}
while ip link add $name type veth && ip addr add 198.51.100.1/24 dev $name && ip link set $name up && ip link del $name
do echo changed; sleep 0.05; done`;

/**
 * Asks for a connection to a port of the loopback as SOCKS has it, sends a byte there, and says what comes.
 */
const asksThroughProxy = `
const { once } = require('node:events');
const socket = require('node:net').connect(1080, '127.0.0.1');
socket.on('error', () => {});
const said = async () => (await once(socket, 'data'))[0];
(async () => {
  socket.write(Buffer.from([5, 1, 0]));
  await said();
  const port = Number(process.argv[1]);
  socket.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255]));
  const answer = await said();
  let more = 0;
  socket.on('data', (bytes) => { more += bytes.length; });
  socket.write('x');
  await once(socket, 'close');
  console.log([...answer.subarray(0, 3)] + ' of ' + answer.length + ', then ' + (more || 'nothing'));
})();`;
const run = promisify(execFile);

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
    spawnSync('ip', ['link', 'del', interfaceName]);
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

  it('can be used from the first moment of a browser', async () => {
    const network = await createBrowserNetwork('bash');
    // Null where this machine cannot make one.
    const connecting = network && spawnSync(network.executablePath, ['-c', ': < /dev/tcp/127.0.0.1/1080']);
    network?.close();
    expect([0, undefined]).toContain(connecting?.status);
  });

  it('passes on nothing but what a server said, also when that resets the connection', async () => {
    const network = await createBrowserNetwork(process.execPath);
    const resets = createTcpServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    await new Promise<void>((resolve) => resets.listen(0, '127.0.0.1', resolve));
    const { port: resetPort } = resets.address() as AddressInfo;
    // Null where this machine cannot make one.
    const said = network && (await run(network.executablePath, ['-e', asksThroughProxy, String(resetPort)]));
    network?.close();
    resets.close();
    expect(['5,0,0 of 10, then nothing\n', undefined]).toContain(said?.stdout);
  });

  it('loads pages while interfaces come and go', async () => {
    const changing = spawn('sh', ['-c', comeAndGo], { stdio: ['ignore', 'pipe', 'ignore'] });
    let changes = 0;
    changing.stdout.on('data', (said: Buffer) => {
      changes += said.toString().split('\n').length - 1;
    });
    const ended = once(changing, 'exit');
    const aborted: string[] = [];
    page.on('requestfailed', (request) => aborted.push(request.failure()?.errorText ?? ''));
    try {
      // Only root may change them, as it is in the suite's own runs.
      while (changes < 20 && changing.exitCode === null) {
        await page.goto(`http://127.0.0.1:${port}/`);
      }
    } finally {
      changing.kill();
      await ended;
    }
    expect(aborted).toEqual([]);
    expect(changes >= 20 || process.getuid?.() !== 0).toBe(true);
  });
});
