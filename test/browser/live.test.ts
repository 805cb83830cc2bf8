/** What a page notices by itself, and how soon. */
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ask, waitFor, waitForever } from '../support/asking-steps.ts';
import { describeInBrowser } from '../support/browser.ts';
import { everythingKept } from '../support/browser-storage.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';

/** As the navigation names them. */
const labels = [
  'Approvals',
  'Previews',
  'Agents',
  'MCP servers',
  'Secrets',
  'Channels',
  'Grants',
  'Shared data',
  'Audit',
  'Members',
  'System',
  'Settings',
];

describeInBrowser('a page of the web UI', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    await demo.startDemoSession();
  });

  it('tells a removed member within seconds, and keeps nothing of the workspace', async () => {
    const max = await demo.signIn('max');
    const { user } = await max.ok<{ user: { id: string } }>('GET', '/api/me');
    const agent = await ada.createAgent('to-be-left', [waitForever], {});
    const session = await max.startSession(agent.id);
    const visitor = await demo.visitAlone('max');
    visitor.expectInConsole(/40[34]/);
    const { page } = visitor;
    await page.clock.install();
    await visitor.open(`sessions/${session.id}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('half a sentence');
    await eventually(async () => expect(await everythingKept(page)).toContain('half a sentence'));
    await ada.ok('DELETE', `${ada.workspace}/members/${user.id}`);
    const told = page.getByRole('heading', { name: 'You are no longer a member of Demo' });
    const noticedAfterMs = await runUntil(page, async () => expect(await told.count()).toBe(1));
    process.stdout.write(`a removed member's page noticed after ${noticedAfterMs} ms\n`);
    expect(noticedAfterMs).toBeLessThan(secondsMs);
    await visitor.checkAccessibility();
    await visitor.picture('removed-member');
    const kept = await everythingKept(page);
    expect(kept).not.toContain('half a sentence');
    expect(kept).not.toContain('to-be-left');
    expect(await page.locator('body').textContent()).not.toContain('to-be-left');
    await expectNothingRead(page, () =>
      ada.ok('POST', `${ada.workspace}/members`, { email: demo.people.max.email, role: 'member' }),
    );
    await visitor.leave();
  });

  /**
   * Expects that a page whose reader is admitted again shows nothing of what it read before,
   * only that it is loading.
   */
  async function expectNothingRead(page: Page, takeIn: () => Promise<unknown>): Promise<void> {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/api\/(sessions|agents|workspaces)\//, async (route) => {
      await answered;
      await route.continue();
    });
    await takeIn();
    await page.getByRole('main').getByLabel('Loading').waitFor();
    expect(await page.locator('body').textContent()).not.toContain('to-be-left');
    answer();
    await page.getByText('to-be-left').first().waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  }

  it('shows changes from elsewhere without polling', async () => {
    const agent = await ada.createAgent('asker', [waitFor('go'), ask('once'), waitForever], {
      files: {},
    });
    const session = await ada.startSession(agent.id);
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('approvals');
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    const requests = page.getByRole('table', { name: 'Permission requests' }).getByText('asker');
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'go' });
    await requests.first().waitFor();
    await visitor.open('sessions');
    const row = page.getByRole('row').filter({ hasText: 'asker' });
    await row.waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await untilFound('the end of the session', async () => {
      const path = `/api/sessions/${session.id}`;
      const { status } = (await ada.ok<{ session: { status: string } }>('GET', path)).session;
      return status === 'terminated' ? true : null;
    });
    await row.getByText('Stopped').waitFor();
    await visitor.leave();
  });

  it('refreshes everything within seconds of an outage, on each page', async () => {
    const visitor = await demo.visitAlone('ada');
    visitor.expectInConsole(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    await page.clock.install();
    for (const section of labels) {
      await visitor.open('sessions');
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
      await page.route('**/api/**', (route) => route.abort());
      await page.getByRole('navigation').getByRole('link', { name: section }).click();
      await expectBackWithinSeconds(page, section);
    }
    await visitor.leave();
  });

  it('refreshes everything of a session within seconds of an outage', async () => {
    const agent = await ada.createAgent('away', [waitForever], {});
    const session = await ada.startSession(agent.id);
    const visitor = await demo.visitAlone('ada');
    visitor.expectInConsole(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    await page.clock.install();
    await visitor.open('sessions');
    const row = page.getByRole('row').filter({ hasText: 'away' });
    await row.waitFor();
    await page.route(`**/api/sessions/${session.id}/**`, (route) => route.abort());
    await row.getByRole('link').first().click();
    await expectBackWithinSeconds(page, 'a session');
    await page.getByText('Live', { exact: true }).waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });
});

/** "Within seconds" by the page's clock: less than the 15 s after which a page without a stream would ask. */
const secondsMs = 12_000;

/**
 * Has the page's clock run in steps that a slow machine can follow until `check` passes. Returns how long
 * that took by this clock.
 */
async function runUntil(page: Page, check: () => Promise<unknown>): Promise<number> {
  const stepMs = 200;
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + stepMs);
  let ranMs = 0;
  await eventually(
    async () => {
      await page.clock.runFor(stepMs);
      ranMs += stepMs;
      await check();
    },
    { withinMs: 120_000 },
  );
  await page.clock.resume();
  return ranMs;
}

/**
 * With every request refused: waits for what failed, lets requests through, and measures
 * until nothing fails any more.
 */
async function expectBackWithinSeconds(page: Page, place: string): Promise<void> {
  const failed = page.getByRole('heading', { name: /could not be loaded$/ });
  const banner = page.getByText('The platform is unreachable.');
  await banner.waitFor();
  // What another page has already loaded is still shown.
  await failed.or(page.getByRole('row').nth(1)).first().waitFor();
  await page.unrouteAll();
  // A page may show several parts that load.
  const loading = page.getByLabel('Loading');
  const tookMs = await runUntil(page, async () =>
    expect((await failed.count()) + (await banner.count()) + (await loading.count())).toBe(0),
  );
  process.stdout.write(`${place} was up to date ${tookMs} ms after the platform was back\n`);
  expect(tookMs).toBeLessThan(secondsMs);
}
