/**
 * The longest names that people give, without a place to break: no page, dialog or menu
 * becomes wider than its place.
 */
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { demoServers } from '../../bin/start/demo-content.ts';
import type { Schedule } from '../../contract/schedule.ts';
import { maxShownName } from '../../contract/shown-name.ts';
import { ask, waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, phone } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { sharedPlatform } from '../support/shared-platform.ts';

/** A name of this length that begins with the letter, of the widest letters. */
const longest = (letter: string) => letter + 'W'.repeat(maxShownName - 1);
const names = { agent: longest('A'), schedule: longest('S'), workspace: longest('D'), entry: 'w'.repeat(32) };
const people = { ada: longest('P'), max: longest('M') };

const wide = { viewport: { width: 1440, height: 900 } };

/** What is wider than its place: the page, its fixed parts, and what is open over them. */
const tooWide = `[document.documentElement, ...document.querySelectorAll('header, main, .mantine-Card-root, [role=dialog], [role=menu]')]
  .flatMap((box) => {
    const { left, right } = box.getBoundingClientRect();
    const more = Math.max(box.scrollWidth - box.clientWidth, Math.ceil(right) - innerWidth, Math.ceil(-left));
    return more > 1 ? [(box.getAttribute('role') ?? box.localName) + ' by ' + more] : [];
  })`;

describeInBrowser('the longest names', () => {
  const demo = demoInBrowser();
  /** Each page, with the name that it shows. */
  const pages: [path: string, name: string][] = [];

  beforeAll(async () => {
    const [ada, max] = await Promise.all([demo.signIn('ada'), demo.signIn('max')]);
    const [files] = demoServers;
    await ada.ok('POST', `${ada.workspace}/mcp-servers`, { ...files, name: names.entry });
    const agent = await max.createAgent(names.agent, [ask('once'), waitForever], { [names.entry]: {} });
    const { schedule } = await max.ok<{ schedule: Schedule }>('POST', `${max.workspace}/schedules`, {
      ...{ agent_id: agent.id, name: names.schedule, prompt: 'Look' },
      spec: { kind: 'cron', expression: '0 0 1 1 *' },
    });
    await ada.ok('PATCH', ada.workspace, { name: names.workspace });
    await withPlatformDatabase(await sharedPlatform(), async (db) => {
      for (const person of ['ada', 'max'] as const) {
        await db('users').where({ email: demo.people[person].email }).update({ name: people[person] });
      }
    });
    const session = await max.startSession(agent.id);
    const request = await max.openRequest(session.id);
    pages.push(
      ['sessions', names.agent],
      [`sessions/${session.id}`, names.agent],
      ['approvals', names.agent],
      [`approvals/${request.id}`, names.agent],
      ['agents', names.agent],
      [`agents/${agent.id}`, names.agent],
      ['schedules', names.schedule],
      [`schedules/${schedule.id}`, names.schedule],
      ['catalog', names.entry],
      [`catalog/${names.entry}`, names.entry],
      ['grants/new', 'Grant'],
      ['audit', names.agent],
      ['members', people.max],
      ['settings', 'Settings'],
      ['/_/workspaces/new', 'New workspace'],
      ['home', names.agent],
    );
  });

  const dialogs: [path: () => string, button: RegExp][] = [
    [() => pages[5]?.[0] ?? '', /^Archive/],
    [() => pages[5]?.[0] ?? '', /^Delete/],
    [() => pages[7]?.[0] ?? '', /^Delete/],
    [() => `catalog/${names.entry}`, /^Remove/],
    [() => 'members', /^Remove/],
    [() => 'settings', /^Close/],
  ];

  it.each([
    ['a desktop', wide],
    ['a phone', phone],
  ])('leave pages, menus and dialogs as wide as they are, on %s', async (_where, context) => {
    const visitor = await demo.visit('ada', context);
    const { page } = visitor;
    const found: Record<string, string[]> = {};
    const look = async (what: string) => {
      const wider = await page.evaluate<string[]>(tooWide);
      if (wider.length > 0) {
        found[what] = wider;
      }
    };
    for (const [path, name] of pages) {
      await visitor.open(path);
      await page.locator('main, [role=dialog]').getByText(name.slice(0, 20)).first().waitFor();
      await look(path);
    }
    for (const [path, button] of dialogs) {
      await visitor.open(path());
      await page.getByRole('main').getByRole('button', { name: button }).last().click();
      await page.getByRole('dialog').waitFor();
      await look(`${button} of ${path()}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await visitor.open('sessions');
    for (const name of [names.workspace, people.ada]) {
      const opener = page.getByRole('banner').getByRole('button', { name });
      await opener.click();
      await page.getByRole('menu').waitFor();
      await look(`the menu of ${name[0]}`);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      expect(await isInWindow(page, opener)).toBe(true);
    }
    expect(found).toEqual({});
    await visitor.leave();
  });
});

async function isInWindow(page: Page, part: ReturnType<Page['getByRole']>): Promise<boolean> {
  const box = await part.boundingBox();
  const width = page.viewportSize()?.width ?? 0;
  return box !== null && box.x >= 0 && box.x + box.width <= width;
}
