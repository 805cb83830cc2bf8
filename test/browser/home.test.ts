/** The first page of a workspace: of one in which something happens, and of a new one. */
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser, phone } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';

describeInBrowser('the home of a workspace', () => {
  const demo = demoInBrowser();
  /** Of the session that the page shows. */
  const end = async (page: Page) => {
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/);
    const [, id = ''] = /sessions\/([0-9a-f-]{36})$/.exec(page.url()) ?? [];
    await (await demo.signIn('ada')).ok('POST', `/api/sessions/${id}/terminate`, {});
  };
  beforeAll(() => demo.startDemoSession());

  it('shows what needs the person, what runs and the last days, and leads to a decision', async () => {
    const visitor = await demo.visit('max');
    const { page } = visitor;
    await visitor.open('home');
    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs.getByText('scribe wants to call files.write_file').waitFor();
    await page.getByRole('region', { name: 'Running now' }).getByText('Waiting for approval').waitFor();
    // The chart has its counts as a table.
    const sessions = page.getByRole('table', { name: 'Sessions of the last 7 days' });
    expect(await sessions.getByRole('row').count()).toBe(8);
    await visitor.checkAccessibility();
    await visitor.picture('home');
    await needs.getByRole('link', { name: 'Review' }).click();
    await page.getByRole('dialog', { name: 'Permission request' }).waitFor();
    await visitor.leave();
  });

  it('leads there from a whole row on a phone', async () => {
    const visitor = await demo.visit('max', { ...phone, colorScheme: 'dark' });
    const { page } = visitor;
    await visitor.open('home');
    const wanted = page.getByText('scribe wants to call');
    await wanted.waitFor();
    await visitor.checkAccessibility();
    const wider = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect(wider).toBeLessThanOrEqual(0);
    // What is over the text takes the click.
    await wanted.click({ force: true });
    await page.getByRole('dialog', { name: 'Permission request' }).waitFor();
    await visitor.leave();
  });

  it('offers a new workspace a gated agent in one click, and one of one’s own in five', async () => {
    const ada = await demo.signIn('ada');
    const slug = `new-${randomBytes(6).toString('hex')}`;
    await ada.ok('POST', '/api/workspaces', { slug, name: 'Harbor Lab' });
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`/${slug}/home`);
    await page.getByRole('heading', { name: 'Welcome to Harbor Lab', level: 1 }).waitFor();
    await visitor.checkAccessibility(page.getByRole('region', { name: 'First steps' }));
    await visitor.picture('welcome');
    await page.getByRole('link', { name: 'Open gallery' }).click();
    await page.getByRole('link', { name: 'Add files' }).waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('gallery');
    await page.getByRole('link', { name: 'Add files' }).click();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('files');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('link', { name: 'New agent with it' }).click();
    await page.getByRole('button', { name: 'Create and start' }).click();
    await end(page);
    await visitor.open(`/${slug}/home`);
    await page.getByText('my-scribe').first().waitFor();
    const another = `new-${randomBytes(6).toString('hex')}`;
    await ada.ok('POST', '/api/workspaces', { slug: another, name: 'Second Lab' });
    await visitor.load(`/${another}/home`);
    await page.getByRole('button', { name: 'Add the example and start it' }).click();
    await end(page);
    await visitor.leave();
  });
});
