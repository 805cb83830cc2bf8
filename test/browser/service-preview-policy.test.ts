/**
 * Previews of services in a real browser: what their pages can do with their service, and what they
 * cannot do with anybody else's.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenService, type ServicePreviews, startServicePreviews } from '../support/preview-services.ts';

const index = `<!doctype html>
<html lang="en">
<base href="/app/">
<title>A service</title>
<form method="post" action="posted"><input name="text" value="sent"><button>Send</button></form>
<script type="module" src="main.js"></script>
</html>`;

/** Resolves with the result of each attempt. */
const tried = (outside: string, platform: string) => `(async () => {
  const said = {};
  const attempt = async (name, work) => {
    try { said[name] = await work(); } catch (error) { said[name] = 'refused: ' + error.name; }
  };
  const json = async (answer) => (await answer).json();
  const post = { method: 'PUT', body: 'sent', headers: { 'content-type': 'text/x', 'x-csrf-token': 't', 'hx-request': 'true' } };
  await attempt('origin', () => self.origin);
  await attempt('module', () => window.ran);
  await attempt('fetch', async () => (await json(fetch('echo', post))).body);
  await attempt('other header', () => fetch('echo', { headers: { 'x-other': '1' } }));
  await attempt('credentials', () => fetch('echo', { credentials: 'include' }));
  await attempt('read header', async () => (await fetch('counted')).headers.get('x-total-count'));
  await attempt('events', () => new Promise((resolve, reject) => {
    const source = new EventSource('events');
    source.onmessage = ({ data }) => { source.close(); resolve(data); };
    source.onerror = () => reject(new Error());
  }));
  const socketAt = (address) => new Promise((resolve, reject) => {
    const socket = new WebSocket(address);
    socket.onopen = () => { resolve('open'); socket.close(); };
    socket.onerror = () => reject(new Error());
  });
  await attempt('socket', () => socketAt('ws://' + location.host + '/socket'));
  await attempt('socket elsewhere', () => socketAt('${outside.replace('http', 'ws')}/'));
  await attempt('socket at the platform', () => socketAt('${platform.replace('http', 'ws')}/'));
  await attempt('cookie', () => document.cookie);
  await attempt('storage', () => localStorage.length);
  await attempt('worker', () => navigator.serviceWorker.register('/main.js'));
  await attempt('redirect away', () => fetch('away').then(({ status }) => status));
  await attempt('fetch elsewhere', () => fetch('${outside}/', { mode: 'no-cors' }));
  await attempt('fetch from the platform', () => fetch('${platform}/api/me', { mode: 'no-cors', credentials: 'include' }));
  return said;
})()`;

describeInBrowser('a preview of a service in a browser', () => {
  let previews: ServicePreviews;
  let service: OpenService;
  let browser: Browser;
  let page: Page;
  /** Anything that is not the preview. */
  let outside: Server;
  let asked: string[];

  beforeAll(async () => {
    previews = await startServicePreviews();
    browser = await openBrowser();
    outside = createServer((incoming, response) => {
      asked.push(`${incoming.method} ${incoming.url}`);
      response.end('outside');
    });
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await browser.close();
    outside.close();
    await previews.stop();
  });

  beforeEach(async () => {
    asked = [];
    service = await previews.open();
    serve(service);
    page = await (await browser.newContext()).newPage();
  });
  afterEach(() => page.context().close());

  const outsideUrl = () => `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;

  function serve({ standIn }: OpenService): void {
    const html = { 'content-type': 'text/html' };
    standIn.on('/', (_incoming, response) =>
      response
        .writeHead(200, { ...html, 'set-cookie': 'platform_session=taken; Domain=localhost' })
        .end(index),
    );
    standIn.on('/app/main.js', (_incoming, response) =>
      response.writeHead(200, { 'content-type': 'text/javascript' }).end('window.ran = "yes"'),
    );
    standIn.on('/app/counted', (_incoming, response) =>
      response.writeHead(200, { 'x-total-count': '7' }).end(),
    );
    standIn.on('/app/events', (_incoming, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: told\n\n'),
    );
    standIn.on('/app/away', (_incoming, response) =>
      response.writeHead(302, { location: outsideUrl() }).end(),
    );
  }

  it('has its scripts, forms, events and WebSockets, and reaches nothing else', async () => {
    await page.goto(`http://${service.host}/`);
    await page.waitForFunction('window.ran === "yes"');
    const said = await page.evaluate<Record<string, unknown>>(tried(outsideUrl(), previews.api.url));
    const refused = expect.stringMatching(/^refused: /);
    expect(said).toEqual({
      ...{ origin: 'null', module: 'yes', fetch: 'sent', 'read header': '7', events: 'told', socket: 'open' },
      ...{
        'other header': refused,
        credentials: refused,
        cookie: refused,
        storage: refused,
        worker: refused,
      },
      ...{ 'socket elsewhere': refused, 'socket at the platform': refused },
      ...{ 'fetch elsewhere': refused, 'fetch from the platform': refused },
      'redirect away': 502,
    });
    expect(asked).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
  });

  it('posts its forms to itself, and shows the answer as its own page', async () => {
    await page.goto(`http://${service.host}/`);
    await page.click('button');
    await page.waitForURL('**/app/posted');
    expect(await page.textContent('body')).toContain('"body":"text=sent"');
    expect(await page.evaluate('self.origin')).toBe('null');
    const [posted] = service.standIn.arrived.filter(({ method }) => method === 'POST');
    expect(posted?.headers).not.toHaveProperty('origin');
  });

  it('is in no frame, and is not posted to by a page elsewhere', async () => {
    await page.goto(outsideUrl());
    await page.setContent(
      `<iframe src="http://${service.host}/"></iframe>
       <form method="post" action="http://${service.host}/app/posted"><button>Send</button></form>`,
    );
    const frame = page.frames().find((each) => each !== page.mainFrame());
    await eventually(() => expect(frame?.url()).toBe('chrome-error://chromewebdata/'));
    await page.click('button');
    await eventually(async () =>
      expect(await page.textContent('body')).toContain('asked by the pages of its preview only'),
    );
    expect(service.standIn.arrived.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('that starts is waited for, without a click', async () => {
    const rows = () => previews.api.db('preview_services').where({ preview_id: service.id });
    await rows().update({ state: 'starting', address: null });
    await page.goto(`http://${service.host}/`);
    expect(await page.title()).toBe('The service is starting');
    await rows().update({ state: 'running', address: service.standIn.address });
    await eventually(async () => expect(await page.title()).toBe('A service'));
  });
});
