/** A request that expires while somebody looks at it. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ask, waitFor } from '../support/asking-steps.ts';
import { describeInBrowser, openBrowser, visit } from '../support/browser.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

describeInBrowser('an approval that nobody gives', () => {
  let platform: Platform;
  let browser: Browser;

  beforeAll(async () => {
    const env = { REQUEST_EXPIRY_SECONDS: '12' };
    [platform, browser] = await Promise.all([startPlatform({ env }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  it('ends as expired in the dialog, which stays until it is closed', async () => {
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    const agent = await ada.createAgent('unheard', [waitFor('ask'), ask('once'), waitFor('expired')], {
      files: {},
    });
    const visitor = await visit(browser, { url: platform.url, as: 'ada' });
    const { page } = visitor;
    const session = await ada.startSession(agent.id);
    await visitor.open(`demo/sessions/${session.id}`);
    await page.getByText('Live: what happens appears here.').waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'ask' });
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    await dialog.getByRole('button', { name: /^Approve/ }).waitFor();
    // The page is not told of the end: the buttons must not stay alive all the same.
    const request = await ada.openRequest(session.id);
    const stale = JSON.stringify({ permission_request: request });
    await page.route('**/permission-requests/*', (route) =>
      route.fulfill({ contentType: 'application/json', body: stale }),
    );
    await dialog.getByText('The time to answer is over').waitFor();
    expect(await dialog.getByRole('button', { name: /Approve|Deny/ }).count()).toBe(0);
    await page.unroute('**/permission-requests/*');
    await dialog.getByText('Nobody answered in time.').waitFor();
    expect(await dialog.getByRole('button', { name: /Approve|Deny/ }).count()).toBe(0);
    await page.getByText('The session has ended.').waitFor();
    expect(await dialog.isVisible()).toBe(true);
    await visitor.checkAccessibility();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await visitor.leave();
  });
});
