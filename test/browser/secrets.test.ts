/**
 * Secrets through the UI: set, restrict, replace and clear, with no trace of the value once it is
 * sent; and a member's view.
 */
import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser, type Visitor } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';

/** Everything that the page holds as text: markup, form values, and what is kept between pages. */
const wholePage = (page: Page) =>
  page.evaluate<string>(`JSON.stringify([
    document.documentElement.outerHTML,
    [...document.querySelectorAll('input, textarea')].map((field) => field.value),
    { ...localStorage }, { ...sessionStorage }, location.href, history.state, document.title,
  ])`);

describeInBrowser('secrets in the web UI', () => {
  const demo = demoInBrowser();

  it('are set, and leave no value in the page', async () => {
    const value = 'value-that-nobody-sees-1';
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('my-token');
    const field = dialog.getByLabel('Value');
    expect(await field.getAttribute('type')).toBe('password');
    expect(await field.getAttribute('autocomplete')).toBe('off');
    await field.fill(value);
    await visitor.checkAccessibility();
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /MY_TOKEN set any MCP server no agent/ }).waitFor();
    expect(await wholePage(page)).not.toContain(value);
    await visitor.checkAccessibility();
    await visitor.picture('secrets');
    await visitor.leave();
  });

  it('are cleared from the field when they are sent, also when the platform refuses them', async () => {
    const value = 'v'.repeat(70_000);
    const visitor = await demo.visit('ada');
    visitor.expectInConsole(/422/);
    const { page } = visitor;
    await visitor.open('secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('TOO_LONG');
    await dialog.getByLabel('Value').fill(value);
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.getByText('must be at most 65536 bytes').waitFor();
    await dialog.getByText('Enter it again').waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('TOO_LONG');
    expect(await wholePage(page)).not.toContain(value.slice(0, 100));
    await visitor.leave();
  });

  it('keep the line breaks of a pasted key', async () => {
    const key = '-----BEGIN KEY-----\nabc\n-----END KEY-----\n';
    const visitor = await demo.visit('ada', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = visitor;
    let sent: unknown;
    await page.route('**/secrets/KEY_FILE', async (route) => {
      sent = route.request().postDataJSON();
      await route.continue();
    });
    await visitor.open('secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('KEY_FILE');
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(key)})`);
    await dialog.getByLabel('Value').focus();
    await page.keyboard.press('Control+V');
    await dialog.getByText('4 lines pasted').waitFor();
    expect(await wholePage(page)).not.toContain('BEGIN KEY');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(sent).toEqual({ value: key });
    await visitor.leave();
  });

  it('are restricted, and cleared after a warning that names who uses them', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('secrets/DEMO_API_TOKEN');
    await page.getByText('MCP server everything, as DEMO_API_TOKEN').waitFor();
    await visitor.checkAccessibility();
    await page.getByRole('radio', { name: /Any MCP server/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Clear value' }).click();
    const dialog = page.getByRole('dialog', { name: 'Clear the value of DEMO_API_TOKEN?' });
    await dialog.getByText('It is in use: these will not work until it is set again').waitFor();
    await dialog.getByRole('link', { name: 'scribe' }).waitFor();
    await visitor.checkAccessibility();
    await expectForgottenWithDialog(visitor, dialog);
    await dialog.getByRole('button', { name: 'Clear value' }).click();
    await page.getByText('not set', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Set value' }).click();
    const setting = page.getByRole('dialog', { name: 'Set DEMO_API_TOKEN' });
    await setting.getByLabel('Value').fill('again');
    await setting.getByRole('button', { name: 'Set' }).click();
    await page.getByRole('button', { name: 'Replace value' }).waitFor();
    await visitor.leave();
  });

  it('are shown to members without a way to change them', async () => {
    const visitor = await demo.visit('max');
    const { page } = visitor;
    await visitor.open('secrets');
    await page.getByRole('link', { name: 'DEMO_API_TOKEN' }).click();
    await page.getByText('Only workspace admins can change it.').waitFor();
    await page.getByText('MCP server everything, as DEMO_API_TOKEN').waitFor();
    expect(await page.getByRole('button', { name: /Clear|Replace|Save/ }).count()).toBe(0);
    await visitor.leave();
  });
});

/** Leaves the dialog open: the error of one attempt is not shown for the next. */
async function expectForgottenWithDialog(visitor: Visitor, dialog: Locator): Promise<void> {
  const { page } = visitor;
  const error = { code: 'validation_failed', message: 'Not this one.', fields: [], request_id: 'r' };
  visitor.expectInConsole(/422/);
  await page.route('**/secrets/DEMO_API_TOKEN', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 422, json: { error } })
      : route.fallback(),
  );
  await dialog.getByRole('button', { name: 'Clear value' }).click();
  await dialog.getByText('Not this one.').waitFor();
  await page.unroute('**/secrets/DEMO_API_TOKEN');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Clear value' }).click();
  await dialog.getByRole('button', { name: 'Clear value' }).waitFor();
  expect(await dialog.getByText('Not this one.').count()).toBe(0);
}
