/** Search or jump, what keys do, and the help of a page. */
import { expect, it } from '@jest/globals';
import { describeInBrowser, phone } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';

describeInBrowser('the palette and the keys', () => {
  const demo = demoInBrowser();

  it('leads by keys to pages, sessions and agents, never while somebody types', async () => {
    const ada = await demo.signIn('ada');
    const agent = await ada.createAgent('scrivener', [{ sleep_seconds: 0 }], {});
    await ada.startSession(agent.id);
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    await visitor.open('agents');
    await page.getByRole('link', { name: 'scribe' }).first().waitFor();
    const palette = page.getByRole('dialog', { name: 'Search or jump' });
    await page.keyboard.press('Control+k');
    const field = palette.getByRole('combobox', { name: 'Search or jump to' });
    await field.fill('scr');
    await palette
      .getByRole('group', { name: 'Agents and servers' })
      .getByRole('option', { name: 'scribe' })
      .waitFor();
    const found = palette.getByRole('group', { name: 'Sessions' }).getByRole('option');
    await found.first().waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('palette');
    // What was found before is not on offer for what is typed by now.
    await field.fill('scr zq');
    expect(await found.count()).toBe(0);
    // Letters in the field are text, and no shortcut.
    await field.fill('');
    await page.keyboard.type('gh?n');
    expect(await field.inputValue()).toBe('gh?n');
    await palette.getByText('Nothing begins so.').waitFor();
    await field.fill('audit');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit trail', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.keyboard.press('/');
    const search = page.getByRole('searchbox', { name: 'Search titles, prompts and agents' });
    await page.keyboard.type('gh');
    expect(await search.inputValue()).toBe('gh');
    await search.blur();
    await page.keyboard.press('?');
    const legend = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await legend.getByText('Search or jump').waitFor();
    await visitor.checkAccessibility();
    await visitor.picture('shortcuts');
    await legend.getByRole('switch', { name: 'Keys that are pressed alone' }).uncheck();
    await page.keyboard.press('Escape');
    await legend.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.keyboard.press('Control+k');
    await field.waitFor();
    expect(await legend.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    // The help of this page is of this release, and served as the text that it is.
    const help = await page.getByRole('link', { name: 'Help with this page' }).getAttribute('href');
    const answer = await fetch(new URL(help ?? '', demo.url));
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(await answer.text()).toMatch(/^# Sessions/);
    await visitor.leave();
  });

  it('finds for a member nothing that only admins may see', async () => {
    const visitor = await demo.visitAlone('max', { ...phone, colorScheme: 'dark' });
    const { page } = visitor;
    await visitor.open('home');
    await page.getByRole('button', { name: 'Search or jump to' }).click();
    const palette = page.getByRole('dialog', { name: 'Search or jump' });
    await palette.getByRole('option', { name: 'Home' }).waitFor();
    await visitor.picture('palette-phone-dark');
    for (const hidden of ['audit', 'system', 'channel', 'import', 'gallery']) {
      await palette.getByRole('combobox').fill(hidden);
      await palette.getByText('Nothing begins so.').waitFor();
    }
    await visitor.leave();
  });
});
