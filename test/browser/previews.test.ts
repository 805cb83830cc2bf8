/** Previews in a real browser: how people reach one, and what its pages cannot do. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { previewDeploy } from '../../api/platform-tools/preview-deploy.ts';
import { waitForever } from '../support/asking-steps.ts';
import { cookiesOf, describeInBrowser, inPage, note, type Visitor, visit } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import type { DemoPerson } from '../support/demo-workspace.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { sharedPlatform } from '../support/shared-platform.ts';

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const index = `<!doctype html>
<html lang="en">
<title>Tickets of the week</title>
<link rel="stylesheet" href="look/style.css">
<h1>Tickets of the week</h1>
<p id="said">The script did not run.</p>
<img id="own" src="look/p.png" alt="">
<a href="docs">Documentation</a>
<script type="module" src="app.js"></script>
</html>`;
const app = `import { word } from './parts/word.js';
const data = await (await fetch('data.json')).json();
document.querySelector('#said').textContent = word + ' ' + data.open + ' are open.';
document.body.dataset.ran = 'yes';`;
const site = [
  { path: 'index.html', text: index },
  { path: 'app.js', text: app },
  { path: 'parts/word.js', text: 'export const word = "Hello:";' },
  { path: 'data.json', text: '{"open": 42}' },
  { path: 'look/style.css', text: 'h1 { color: rgb(1, 2, 3) }' },
  { path: 'look/p.png', base64: pixel },
  { path: 'docs/index.html', text: '<!doctype html><title>Docs</title><p>All about it.' },
];

/**
 * What a page elsewhere, or the platform, would notice of what a preview tries. Resolves
 * with what each attempt said.
 */
const attempts = (outside: string, platform: string, other: string) => `(async () => {
  const said = {};
  const attempt = async (name, work) => {
    try { said[name] = String(await work()); } catch (error) { said[name] = 'refused: ' + error.name; }
  };
  const loads = (element, address) => new Promise((resolve) => {
    element.onload = () => resolve('loaded');
    element.onerror = () => resolve('refused');
    element[element.tagName === 'LINK' ? 'href' : 'src'] = address;
    document.body.append(element);
  });
  const make = (name, more = {}) => Object.assign(document.createElement(name), more);
  await attempt('origin', () => self.origin);
  await attempt('opener', () => window.opener);
  await attempt('cookie', () => document.cookie);
  await attempt('set cookie', () => { document.cookie = 'a=b; domain=localhost'; return 'set'; });
  await attempt('storage', () => localStorage.length);
  await attempt('database', () => new Promise((resolve, reject) => {
    const opening = indexedDB.open('a');
    opening.onsuccess = () => resolve('opened');
    opening.onerror = () => reject(opening.error);
  }));
  await attempt('service worker', () => navigator.serviceWorker.register('/app.js').then(() => 'registered'));
  for (const [whose, base] of Object.entries({ outside: ${JSON.stringify(outside)}, platform: ${JSON.stringify(platform)}, other: ${JSON.stringify(other)} })) {
    const at = (path) => base + path;
    await attempt('fetch ' + whose, () => fetch(at('/api/me'), { credentials: 'include' }).then(({ status }) => status));
    await attempt('blind fetch ' + whose, () => fetch(at('/api/me'), { mode: 'no-cors', credentials: 'include' }).then(() => 'sent'));
    await attempt('image ' + whose, () => loads(make('img'), at('/look/p.png')));
    await attempt('script ' + whose, () => loads(make('script'), at('/app.js')));
    await attempt('style ' + whose, () => loads(make('link', { rel: 'stylesheet' }), at('/look/style.css')));
    await attempt('beacon ' + whose, () => navigator.sendBeacon(at('/api/me'), 'x'));
    await attempt('socket ' + whose, () => new Promise((resolve, reject) => {
      const socket = new WebSocket(at('/').replace('http', 'ws'));
      socket.onopen = () => resolve('opened');
      socket.onerror = () => resolve('refused');
    }));
    make('form', { method: 'post', action: at('/api/auth/sign-out') });
    await attempt('form ' + whose, () => {
      const form = make('form', { method: 'post', action: at('/api/auth/sign-out') });
      document.body.append(form);
      form.submit();
    });
    await attempt('frame ' + whose, () => {
      document.body.append(make('iframe', { src: at('/app/') }));
    });
    await attempt('pop-up ' + whose, () => window.open(at('/app/')));
  }
  return said;
})()`;

describeInBrowser('previews', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let outside: Server;
  let asked: string[];

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    outside = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.referer ?? 'without a referrer'}`);
      response.setHeader('access-control-allow-origin', '*');
      response.end('<title>Outside</title>');
    });
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    outside?.close();
    outside?.closeAllConnections();
  });

  const ending: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0)) {
      await end();
    }
  });

  let count = 0;
  /** By the agent of a session of Ada's. */
  async function deploy(given: object = {}): Promise<{ sessionId: string; previewId: string }> {
    count += 1;
    const call = {
      call: 'platform.preview_deploy',
      arguments: { title: `Tickets ${count}`, files: site, ...given },
    };
    const agent = await ada.createAgent(`shows ${count}`, [call, waitForever], {});
    const { id: sessionId } = await ada.startSession(agent.id);
    ending.push(() => ada.ok('POST', `/api/sessions/${sessionId}/terminate`, {}));
    const event = await untilFound('a preview', async () =>
      (await ada.events(sessionId)).find(({ type }) => type === 'agent.preview'),
    );
    return { sessionId, previewId: String(event.payload['preview_id']) };
  }

  const visitAs = async (as: DemoPerson, url = demo.url) =>
    visit(demo.browser, { ...demo, url, as, isAlone: true });

  /** Opens the preview from its page, as a person does. Returns the new tab. */
  async function openFrom({ page, open }: Visitor, previewId: string): Promise<Page> {
    await open(`previews/${previewId}`);
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open in a new tab' }).click(),
    ]);
    await tab.waitForLoadState();
    return tab;
  }

  it('are reached from the transcript and the list, and run with their own files', async () => {
    const { sessionId, previewId } = await deploy();
    const visitor = await visitAs('ada');
    const { page } = visitor;
    await visitor.open(`sessions/${sessionId}`);
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText(/deployed the preview/).waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page
      .getByRole('region', { name: 'Previews' })
      .getByRole('link', { name: /^Tickets/ })
      .waitFor();
    await visitor.picture('preview-in-session');
    await transcript.getByRole('link', { name: 'Open…' }).click();
    await page.getByText('An agent wrote these pages').waitFor();
    await visitor.picture('preview-page');
    await page.getByRole('link', { name: 'All live previews' }).click();
    await page
      .getByRole('row')
      .filter({ hasText: `Tickets ${count}` })
      .waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('previews');

    const tab = await openFrom(visitor, previewId);
    await tab.getByText('Hello: 42 are open.').waitFor();
    expect(await tab.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe('rgb(1, 2, 3)');
    expect(await tab.evaluate('document.querySelector("#own").naturalWidth')).toBe(1);
    expect(new URL(tab.url()).hostname).toMatch(/^[0-9a-f]{40}\.localhost$/);
    await tab.getByRole('link', { name: 'Documentation' }).click();
    await tab.getByText('All about it.').waitFor();
    expect(new URL(tab.url()).pathname).toBe('/docs/');
    await visitor.leave();
  });

  it('show what the documented example says', async () => {
    const { previewId } = await deploy(Object(previewDeploy.example.input));
    const visitor = await visitAs('ada');
    const tab = await openFrom(visitor, previewId);
    await tab.getByText('42 tickets are open').waitFor();
    await visitor.leave();
  });

  it.each(['127.0.0.1', 'localhost'])(
    'reach nothing but their own files, beside a platform at %s',
    async (name) => {
      const platform = demo.url.replace('127.0.0.1', name);
      const [mine, theirs] = [await deploy(), await deploy()];
      const visitor = await visitAs('ada', platform);
      const other = await openFrom(visitor, theirs.previewId);
      const tab = await openFrom(visitor, mine.previewId);
      await tab.getByText('Hello: 42 are open.').waitFor();

      const sent: { url: string; headers: Record<string, string> }[] = [];
      const answered: string[] = [];
      tab.on('requestfinished', (request) =>
        note(
          sent,
          request.allHeaders().then((headers) => ({ url: request.url(), headers })),
        ),
      );
      tab.on('response', (response) => note(answered, cookiesOf(response)));
      const base = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
      const said = await tab.evaluate<Record<string, string>>(
        attempts(base, platform, new URL(other.url()).origin),
      );
      const { origin, opener, ...rest } = said;
      expect({ origin, opener }).toEqual({ origin: 'null', opener: 'null' });
      const names = ['outside', 'platform', 'other'];
      for (const whose of names) {
        expect(rest).toMatchObject({
          [`fetch ${whose}`]: 'refused: TypeError',
          [`blind fetch ${whose}`]: 'refused: TypeError',
          [`image ${whose}`]: 'refused',
          [`script ${whose}`]: 'refused',
          [`style ${whose}`]: 'refused',
          [`socket ${whose}`]: expect.stringMatching(/^refused/),
          [`pop-up ${whose}`]: 'null',
        });
      }
      expect(rest).toMatchObject({
        cookie: 'refused: SecurityError',
        'set cookie': 'refused: SecurityError',
        storage: 'refused: SecurityError',
        database: 'refused: SecurityError',
        'service worker': expect.stringMatching(/^refused/),
      });

      await tab.reload();
      await tab.getByText('Hello: 42 are open.').waitFor();
      const here = new URL(tab.url()).origin;
      await eventually(async () => expect(sent.some(({ url }) => url === `${here}/look/p.png`)).toBe(true));
      expect(sent.filter(({ url }) => !url.startsWith(`${here}/`))).toEqual([]);
      expect(sent.filter(({ headers }) => 'cookie' in headers || 'referer' in headers)).toEqual([]);
      expect(answered.filter((each) => !each.endsWith('without a cookie'))).toEqual([]);
      expect(asked).toEqual([]);
      // Nothing signed Ada out, and her cookie is not one of the previews' hosts.
      expect(await visitor.page.evaluate(`fetch('/api/me').then(({ status }) => status)`)).toBe(200);
      const cookies = await visitor.page.context().cookies();
      expect(cookies.map(({ domain, httpOnly, sameSite }) => ({ domain, httpOnly, sameSite }))).toEqual([
        { domain: name, httpOnly: true, sameSite: 'Lax' },
      ]);

      // What no policy stops, and the page of the preview says: it can lead elsewhere. No
      // referrer tells where from.
      await tab.evaluate(`{ location.href = ${JSON.stringify(`${base}/?told`)} }`);
      await eventually(async () => expect(asked).toContain('GET /?told without a referrer'));
      await visitor.leave();
    },
  );

  it('are on another site than the platform for the browser', async () => {
    const { previewId } = await deploy();
    for (const name of ['127.0.0.1', 'localhost']) {
      const visitor = await visitAs('ada', demo.url.replace('127.0.0.1', name));
      const tab = await openFrom(visitor, previewId);
      await tab.getByText('Hello: 42 are open.').waitFor();
      const { origin } = new URL(tab.url());
      const context = visitor.page.context();
      const probe = await context.newPage();
      const sites: (string | undefined)[] = [];
      probe.on('request', async (request) => {
        if (request.url().startsWith(origin)) {
          await note(
            sites,
            request.allHeaders().then((headers) => headers['sec-fetch-site']),
          );
        }
      });
      await probe.goto('/api/health');
      await probe.evaluate(`void (location.href = ${JSON.stringify(`${origin}/docs/`)})`);
      await probe.getByText('All about it.').waitFor();
      await eventually(async () => expect(sites[0]).toBe('cross-site'));
      await visitor.leave();
    }
  });

  it('for their session are closed to those who may not read it', async () => {
    const { previewId } = await deploy({ audience: 'session' });
    const max = await visitAs('max');
    max.expectInConsole(/403/);
    await max.open(`previews/${previewId}`);
    await max.page.getByText('You do not have access').waitFor();
    const forAll = await deploy();
    await max.open('previews');
    const listed = (id: string) => max.page.locator(`a[href$="/previews/${id}"]`);
    await listed(forAll.previewId).waitFor();
    expect(await listed(previewId).count()).toBe(0);
    const tab = await openFrom(max, forAll.previewId);
    await tab.getByText('Hello: 42 are open.').waitFor();
    expect(await max.page.getByText('all members of the workspace').count()).toBe(1);
    expect(await max.page.locator(`a[href$="/sessions/${forAll.sessionId}"]`).count()).toBe(0);
    await max.leave();
    const nora = await visitAs('nora');
    await nora.open(`previews/${previewId}`);
    await nora.page.getByText('This workspace was not found').waitFor();
    await nora.leave();
    const nobody = await visit(demo.browser, { ...demo });
    nobody.expectInConsole(/401/);
    await nobody.open(`previews/${previewId}`);
    await nobody.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await nobody.leave();
  });

  it('are shown in the transcript as they are now, while it is open', async () => {
    const { sessionId, previewId } = await deploy();
    const visitor = await visitAs('ada');
    await visitor.open(`sessions/${sessionId}`);
    const transcript = visitor.page.getByRole('region', { name: 'Transcript' });
    await transcript.getByRole('link', { name: 'Open…' }).waitFor();
    // By another browser: nothing in this one knows of it.
    await ada.ok('DELETE', `${ada.workspace}/previews/${previewId}`);
    await transcript.getByText(/ · ended/).waitFor();
    await transcript.getByRole('link', { name: 'Details' }).waitFor();
    expect(await transcript.getByRole('link', { name: 'Open…' }).count()).toBe(0);
    await visitor.leave();
  });

  it('say so when they have expired, or were ended', async () => {
    const visitor = await visitAs('ada');
    const { page } = visitor;
    const expiring = await deploy();
    const tab = await openFrom(visitor, expiring.previewId);
    await tab.getByText('Hello: 42 are open.').waitFor();
    await withPlatformDatabase(await sharedPlatform(), (db) =>
      db('previews')
        .where({ id: expiring.previewId })
        .update({ expires_at: new Date(Date.now() - 1000).toISOString() }),
    );
    await tab.reload();
    await tab.getByRole('heading', { name: 'No preview is open here' }).waitFor();
    expect(await tab.getByText('42').count()).toBe(0);
    await page.reload();
    await page.getByText('This preview has expired').waitFor();
    expect(await page.getByRole('link', { name: 'Open in a new tab' }).count()).toBe(0);

    const ended = await deploy();
    const shown = await openFrom(visitor, ended.previewId);
    await shown.getByText('Hello: 42 are open.').waitFor();
    await page.getByRole('button', { name: 'End preview' }).click();
    const dialog = page.getByRole('dialog', { name: 'End this preview?' });
    await dialog.getByText('The session continues.').waitFor();
    await inPage(page, 'the dialog', `document.activeElement.textContent === 'Cancel'`);
    await visitor.checkAccessibility();
    await dialog.getByRole('button', { name: 'End preview' }).click();
    await page.getByText('This preview has ended').waitFor();
    await page.getByText('The agent of its session can deploy another one.').waitFor();
    await shown.reload();
    await shown.getByRole('heading', { name: 'No preview is open here' }).waitFor();

    const left = await deploy();
    await ada.ok('POST', `/api/sessions/${left.sessionId}/terminate`, {});
    await eventually(async () => {
      const { preview } = await ada.ok<{ preview: { session_ended: boolean } }>(
        'GET',
        `/api/workspaces/${demo.slug}/previews/${left.previewId}`,
      );
      expect(preview.session_ended).toBe(true);
    });
    await visitor.open(`previews/${left.previewId}`);
    await page.getByRole('button', { name: 'End preview' }).click();
    await dialog.getByText('This cannot be undone.').waitFor();
    expect(await page.getByText('The session continues.').count()).toBe(0);
    await dialog.getByRole('button', { name: 'End preview' }).click();
    await page.getByText('This preview has ended').waitFor();
    expect(await page.getByText('can deploy another one').count()).toBe(0);
    await visitor.leave();
  });
});
