/** How few requests a page takes, and what it does when some fail. */
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { SessionProcess } from '../../contract/session-process.ts';
import { waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, inPage } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';

const sections = [
  'sessions',
  'approvals',
  'agents',
  'catalog',
  'secrets',
  'grants',
  'audit',
  'members',
  'settings',
  'system',
];
describeInBrowser('a page of the web UI', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
  });

  it('sends at most one request every 15 s while nothing happens', async () => {
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    const asked = countRequests(page);
    await page.clock.install();
    for (const section of sections) {
      // To a page that stays, each turn of its clock would be more time in which its stream sent nothing.
      await visitor.load(section);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await untilQuiet(asked);
      asked.length = 0;
      await page.clock.runFor(idleMs);
      await untilQuiet(asked);
      expect({ section, isQuiet: asked.length <= 1, asked }).toMatchObject({ isQuiet: true });
    }
    await visitor.leave();
  });

  it('sends no requests while a session waits', async () => {
    const agent = await ada.createAgent('idle', [waitForever], {});
    const session = await ada.startSession(agent.id);
    await untilFound('the agent at work', async () => {
      const path = `/api/sessions/${session.id}/processes`;
      const { processes } = await ada.ok<{ processes: SessionProcess[] }>('GET', path);
      return processes.find(({ kind, state }) => kind === 'agent' && state === 'ready') ?? null;
    });
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    const asked = countRequests(page);
    await page.clock.install();
    await visitor.open(`sessions/${session.id}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await untilQuiet(asked);
    asked.length = 0;
    await page.clock.runFor(idleMs);
    await untilQuiet(asked);
    expect(asked).toEqual([]);
    await visitor.leave();
  });

  it.each(['js', 'css'])('is loaded again when a file of type %s did not arrive', async (type) => {
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    visitor.expectInConsole(/ERR_FAILED/);
    let lost = 0;
    await page.route(`**/app/_assets/index-*.${type}`, async (route) => {
      lost += 1;
      await (lost > 2 ? route.continue() : route.abort());
    });
    await visitor.open('sessions');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await eventually(() => expect(lost).toBe(3));
    await inPage(page, 'the styles', `getComputedStyle(document.body).margin === '0px'`);
    await inPage(page, 'nothing left of the reloads', 'sessionStorage.length === 0');
    await visitor.leave();
  });

  it('says so when it cannot be loaded completely, and is loaded on the next try', async () => {
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    visitor.expectInConsole(/ERR_FAILED/);
    let lost = 0;
    await page.route('**/app/_assets/index-*.js', async (route) => {
      lost += 1;
      await route.abort();
    });
    await visitor.open('sessions');
    await page.getByText('This page could not be loaded completely.').waitFor();
    expect(lost).toBe(4);
    await page.unrouteAll();
    await page.reload();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await visitor.leave();
  });

  it('waits for its turn when the platform limits requests, however long that takes', async () => {
    const visitor = await demo.visitAlone('ada');
    visitor.expectInConsole(/429/);
    const { page } = visitor;
    let refused = 0;
    await page.route('**/api/workspaces/*/agents*', (route) => {
      refused += 1;
      return route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: {} });
    });
    await page.clock.install();
    await visitor.open('agents');
    await page.getByText('This loads by itself in a moment.').waitFor();
    await eventually(async () => {
      await page.clock.runFor(10_000);
      expect(refused).toBeGreaterThan(10);
    });
    expect(await page.getByRole('heading', { name: /could not be loaded$/ }).count()).toBe(0);
    await visitor.checkAccessibility();
    await page.unrouteAll();
    await eventually(async () => {
      await page.clock.runFor(10_000);
      expect(await page.getByRole('link', { name: 'scribe' }).count()).toBe(1);
    });
    await visitor.leave();
  });

  it('loads the list of secrets with one request, however many there are', async () => {
    for (let count = 0; count < 30; count += 1) {
      await ada.ok('PUT', `${ada.workspace}/secrets/MANY_${count}`, { value: 'not told' });
    }
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    const asked = countRequests(page);
    await visitor.open('secrets');
    await page.getByRole('link', { name: 'MANY_29' }).waitFor();
    await untilQuiet(asked);
    expect(asked.filter((path) => path.includes('/secrets'))).toHaveLength(1);
    await visitor.leave();
  });
});

/**
 * By the page's clock. The platform's heartbeats come by the real one: after 40 s without
 * any, the page reconnects.
 */
const idleMs = 20_000;

/** Paths that the page requested from the API, except its stream. */
function countRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/') && pathname !== '/api/me/stream') {
      asked.push(pathname);
    }
  });
  return asked;
}

/** Waits until the page has sent no request for two seconds. */
async function untilQuiet(asked: readonly string[]): Promise<void> {
  let before = { count: -1, at: Date.now() };
  await eventually(() => {
    if (asked.length !== before.count) {
      before = { count: asked.length, at: Date.now() };
    }
    expect(Date.now() - before.at).toBeGreaterThan(2_000);
  });
}
