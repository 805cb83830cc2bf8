/**
 * A request that expires while somebody looks at it, and what remains of an answer that was
 * not accepted or not sent.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ask, waitFor, waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, openBrowser, visit } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

describeInBrowser('an approval that nobody gives', () => {
  let platform: Platform;
  let browser: Browser;

  beforeAll(async () => {
    const env = { REQUEST_EXPIRY_SECONDS: '12' };
    [platform, browser] = await Promise.all([
      startPlatform({ env, usesRunServers: true, withoutDemoSession: true }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('is shown as expired in the dialog, which stays open until it is closed', async () => {
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    const agent = await ada.createAgent('unheard', [waitFor('ask'), ask('once'), waitFor('expired')], {
      files: {},
    });
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    const session = await ada.startSession(agent.id);
    await visitor.open(`sessions/${session.id}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'ask' });
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    await dialog.getByRole('button', { name: /^Approve/ }).waitFor();
    // The page is not notified of the expiry: the buttons must still become disabled.
    const request = await ada.openRequest(session.id);
    const stale = JSON.stringify({ permission_request: request });
    await page.route('**/permission-requests/*', (route) =>
      route.fulfill({ contentType: 'application/json', body: stale }),
    );
    await dialog.getByText('This request has expired').waitFor();
    expect(await dialog.getByRole('button', { name: /Approve|Deny/ }).count()).toBe(0);
    await page.unroute('**/permission-requests/*');
    await dialog.getByText('Nobody answered in time.').waitFor();
    expect(await dialog.getByRole('button', { name: /Approve|Deny/ }).count()).toBe(0);
    await page.getByText('The session has ended.').waitFor();
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await visitor.leave();
  });
});

describeInBrowser('an answer that is not taken yet', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
  });

  async function lookAtRequest() {
    const agent = await ada.createAgent(`asking ${Date.now()}`, [ask('session'), waitForever], { files: {} });
    const session = await ada.startSession(agent.id);
    const request = await ada.openRequest(session.id);
    const visitor = await demo.visit('ada');
    await visitor.open(`approvals/${request.id}`);
    const dialog = visitor.page.getByRole('dialog', { name: 'Permission request' });
    return { visitor, page: visitor.page, dialog, request };
  }

  it('drops a refusal when the choice or the reason that it was about changes', async () => {
    const { visitor, page, dialog } = await lookAtRequest();
    visitor.expectInConsole(/403/);
    const json = { error: { code: 'forbidden', message: 'Not that one.', request_id: 'none' } };
    await page.route('**/grants', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 403, json }) : route.continue(),
    );
    await page.route('**/deny', (route) => route.fulfill({ status: 403, json }));
    const refusal = dialog.getByRole('alert').filter({ hasText: 'Not that one.' });
    await dialog.getByRole('button', { name: 'Approve one call' }).click();
    await refusal.waitFor();
    await dialog.getByRole('radio', { name: /^This session/ }).check();
    await refusal.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Deny…' }).click();
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await refusal.waitFor();
    await dialog.getByLabel('Reason').fill('Another one');
    await refusal.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('is sent no more once the dialog is closed', async () => {
    const { visitor, page, dialog, request } = await lookAtRequest();
    visitor.expectInConsole(/ERR_FAILED|Failed to load resource/);
    let sent = 0;
    await page.route('**/grants', async (route) => {
      sent += 1;
      await route.abort();
    });
    await dialog.locator('button:enabled', { hasText: 'Approve one call' }).waitFor();
    await page.clock.install();
    await dialog.getByRole('button', { name: 'Approve one call' }).click();
    await dialog.getByText('Closing this dialog stops the retries.').waitFor();
    await dialog.getByRole('button', { name: 'Decide later' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const sentBefore = sent;
    // Longer than the backoff between the first attempts. What it sends comes before what is asked for then.
    await page.clock.runFor(30_000);
    await page.evaluate(`fetch('/api/me')`);
    expect(sent).toBe(sentBefore);
    const path = `${ada.workspace}/permission-requests/${request.id}`;
    expect(await ada.ok('GET', path)).toMatchObject({ permission_request: { status: 'open' } });
    await visitor.leave();
  });

  it('keeps the typed reason across navigation until it is sent', async () => {
    const { visitor, page, dialog, request } = await lookAtRequest();
    const reason = dialog.getByLabel('Reason');
    const drafts = () =>
      page.evaluate<number>("Object.keys(sessionStorage).filter((key) => key.includes('denial')).length");
    await dialog.getByRole('button', { name: 'Deny…' }).click();
    await reason.fill('Not on a Friday');
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.getByRole('button', { name: 'Deny…' }).click();
    expect(await reason.inputValue()).toBe('Not on a Friday');
    await page.reload();
    // Opening it again denies nothing.
    await dialog.getByRole('button', { name: 'Deny…' }).click();
    expect(await reason.inputValue()).toBe('Not on a Friday');
    expect(await drafts()).toBe(1);
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByText('Denied. The agent is told.').waitFor();
    expect(await drafts()).toBe(0);
    const path = `${ada.workspace}/permission-requests/${request.id}`;
    expect(await ada.ok('GET', path)).toMatchObject({ permission_request: { reason: 'Not on a Friday' } });
    await visitor.leave();
  });
});
